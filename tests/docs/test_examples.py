"""What the pages show is what the product takes: reports are planned, DAGs load, commands and requests are read.

Reference pages of SQL, functions, options, the Table API and plans have tests of their own, beside what they show.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.api_fastapi.core_api.datamodels.assets import CreateAssetEventsBody
from airflow.api_fastapi.core_api.datamodels.backfills import BackfillPostBody
from airflow.api_fastapi.core_api.datamodels.dag_run import TriggerDAGRunPostBody
from airflow.sdk import DAG

import tests.airflow_home  # noqa: F401
from airflow_nrt.cli.main import _parser
from airflow_nrt.sql.load import load_report
from airflow_nrt.usecases.requests.run_overrides import RunOverrides
from tests.docs.pages import ROOT, Example, examples

PARTS = ("README.md", "docs/index", "docs/tutorial/", "docs/how-to/", "docs/reference/operators", "docs/explanation/")
REQUESTS = {
    "/assets/events": CreateAssetEventsBody,
    "/backfills": BackfillPostBody,
    "/backfills/dry_run": BackfillPostBody,
    "/dagRuns": TriggerDAGRunPostBody,
}
SCHEMA = """
CREATE TABLE orders (shop STRING, buyer STRING, price DECIMAL(10, 2), paid TIMESTAMP(3),
    WATERMARK FOR paid AS paid - INTERVAL '2' MINUTES
) WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE curve (shop STRING, window_start TIMESTAMP(3), window_end TIMESTAMP(3), buyers BIGINT,
    revenue DECIMAL(38, 2)) WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'csv');
"""
"""What stands around an INSERT that a page shows alone."""
MIDNIGHT = datetime(2026, 3, 3, tzinfo=timezone.utc)
PRESSED = {"nrt": {"start": "2026-03-02 00:00:00", "end": "2026-03-02 12:00:00"}}
"""The configuration of a run that the page has triggered."""


def shown(language: str) -> list[Example]:
    return examples(*PARTS, language=language)


def whole_reports() -> Iterator[Example]:
    """Scripts with a query; pieces of the page about timing have a test of their own."""
    for one in shown("sql"):
        if "INSERT INTO" in one.text and "…" not in one.text and "dynamic-tables" not in one.page:
            yield one


def tables_alone() -> Iterator[Example]:
    """Declarations of a sink `curve`."""
    for one in shown("sql"):
        if one.text.startswith("CREATE TABLE curve") and "INSERT" not in one.text:
            yield one


def commands() -> Iterator[tuple[str, list[str]]]:
    """The words of each command of a shell, and where it stands."""
    for one in shown("bash"):
        for number, words in enumerate(words_of(one.text)):
            yield f"{one.place}-{number}", words
    for line in re.findall(r"^    (airflow-nrt .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE):
        yield f"README.md-{line[12:20].strip()}", shlex.split(re.split(r" {3,}", line)[0])


def words_of(script: str) -> Iterator[list[str]]:
    """A command may go on in further lines, by a backslash or in its quotes."""
    command = ""
    for line in script.replace("\\\n", " ").splitlines():
        command = f"{command}\n{line}" if command else line
        with suppress(ValueError):
            yield shlex.split(command)
            command = ""
    assert not command, command


@pytest.mark.parametrize("example", whole_reports(), ids=lambda one: one.place)
def test_a_report_is_planned(example: Example, tmp_path: Path) -> None:
    file = tmp_path / "report.sql"
    missing = SCHEMA if "CREATE TABLE" not in example.text else ""
    file.write_text(missing + example.text, encoding="utf-8")
    assert load_report(file, {"DATA": str(tmp_path)} if "${DATA}" in example.text else {}).inserts


@pytest.mark.parametrize("example", tables_alone(), ids=lambda one: one.place)
def test_a_table_is_declared_as_shown(example: Example, tmp_path: Path) -> None:
    file = tmp_path / "report.sql"
    query = "INSERT INTO curve SELECT shop, window_start, window_end, COUNT(*) FROM TUMBLE(TABLE orders, "
    query += "DESCRIPTOR(paid), INTERVAL '10' MINUTES) GROUP BY shop, window_start, window_end;"
    file.write_text(SCHEMA.partition("CREATE TABLE curve")[0] + example.text + query, encoding="utf-8")
    assert load_report(file, {}).inserts


@pytest.mark.parametrize("example", shown("python"), ids=lambda one: one.place)
def test_python_runs(example: Example, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SALES", "/data/sales")
    file = tmp_path / "shown.py"
    file.write_text(example.text, encoding="utf-8")
    names: dict[str, object] = {"__file__": str(file)}
    exec(compile(example.text, str(file), "exec"), names)
    if "DAG(" in example.text and "dag" in names:
        assert isinstance(names["dag"], DAG) and names["dag"].tasks


@pytest.mark.parametrize("words", [pytest.param(words, id=place) for place, words in commands()])
def test_a_command_has_these_arguments(words: list[str]) -> None:
    if words[:1] == ["airflow-nrt"] and words[1:] != ["--version"]:
        _parser(words[1:]).parse_args(words[1:])


@pytest.mark.parametrize(
    ("page", "task", "context", "awaited"),
    [
        ("tutorial/day-in-airflow", "complete", {"data_interval_end": MIDNIGHT, "conf": {}}, "2026-03-03 00:00"),
        ("tutorial/day-in-airflow", "complete", {"data_interval_end": MIDNIGHT, "conf": {"on_mismatch": "repair"}},
         "2026-03-03 00:00"),
        ("tutorial/day-in-airflow", "complete", {"conf": PRESSED}, "2026-03-02 12:00:00"),
        ("how-to/freshness", "complete", {"data_interval_end": MIDNIGHT}, "2026-03-03T00:00:00Z"),
        ("how-to/freshness", "complete", {"run_after": MIDNIGHT}, "2026-03-03T00:00:00Z"),
    ],
)  # fmt: skip
def test_a_sensor_knows_its_window_in_each_run(
    page: str, task: str, context: dict[str, Any], awaited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a run that a button of the page triggers: it has no data interval, and a missing name is an error."""
    monkeypatch.setenv("SALES", "/data/sales")
    (text,) = (one.text for one in examples(f"docs/{page}", language="python") if "NrtWindowSensor(" in one.text)
    names: dict[str, Any] = {}
    exec(compile(text, page, "exec"), names)
    sensor = names["dag"].get_task(task)
    run = SimpleNamespace(conf=context.pop("conf", None), run_after=context.pop("run_after", None))
    assert sensor.render_template(sensor.window_end, {"dag_run": run, **context}) == awaited


def test_requests_are_what_airflow_takes() -> None:
    found = 0
    for _, words in commands():
        if words[:1] != ["curl"] or "-d" not in words:
            continue
        path = next(word for word in words if "/api/v2/" in word)
        model = next(model for end, model in REQUESTS.items() if path.endswith(end))
        model.model_validate(json.loads(words[words.index("-d") + 1]))
        found += 1
    assert found >= 2


def test_the_configuration_of_a_run_is_what_operators_take() -> None:
    asked = [json.loads(one.text) for one in shown("json")]
    named = [RunOverrides(**one["nrt"]) for one in asked if "nrt" in one]
    assert named and all(one.start and one.end for one in named)
