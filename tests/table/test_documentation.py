"""The examples of `docs/reference/table-api.md` that show their result, over the rows of the golden statements."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt import table as api
from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.table.expressions.vocabulary import AGGREGATES, METHODS, PROPERTIES
from airflow_nrt.table.reports.load import load_report
from tests.golden.statements import ERRORS

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "table-api.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n([^`]*)```", TEXT[: TEXT.index("## Errors")])
CHANGE = '{"op": "+I", "row": {"item": "A", "top": "4.00"}}'
LEFT_OUT = {
    "Bid (…) WITH (…,": "Bid (ts TIMESTAMP(3), price DECIMAL(10, 2), WATERMARK FOR ts AS ts) WITH "
    "('connector' = 'filesystem', 'format' = 'json',",
    "top (…) WITH (…)": "top (ends TIMESTAMP(3), price DECIMAL(10, 2)) WITH "
    "('connector' = 'filesystem', 'path' = 'top', 'format' = 'json')",
}
EXAMPLES = re.findall(r"```python\n([^`]*)```\n\n```json\n([^`]*)```", TEXT)


def result(program: str, mode: str) -> api.Table:
    """The table that the last line of the program names."""
    environment = api.TableEnvironment(api.EnvironmentSettings(mode), base=ERRORS)
    environment.execute_sql((ERRORS / "ddl.sql").read_text().replace("${CASE_DIR}", str(ERRORS)))
    names: dict[str, Any] = {name: getattr(api, name) for name in api.__all__}
    names["__name__"] = "example"
    names["bids"] = environment.from_path("Bid")
    exec(program, names)
    found: api.Table = names[re.findall(r"^(\w+) = ", program, re.MULTILINE)[-1]]
    return found


@pytest.mark.parametrize("mode", ["stream", "batch"])
@pytest.mark.parametrize("program, shown", EXAMPLES)
def test_an_example_shows_its_result(spark, program: str, shown: str, mode: str) -> None:
    lines = [json.dumps(row, separators=(",", ":")) for row in result(program, mode).execute().rows()]
    assert sorted(lines) == shown.splitlines()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


def test_a_result_is_a_table_of_text_and_a_frame(spark, capsys) -> None:
    table = result(EXAMPLES[0][0], "batch")
    table.execute().print()
    printed = capsys.readouterr().out
    assert "| op |" in printed and "| +I |" in printed and "3 rows in set" in printed
    frame = table.to_pandas()
    assert list(frame.columns) == ["start", "end", "total"]
    assert (frame["end"] - frame["start"]).max().total_seconds() == 600


def test_names_mean_one_thing() -> None:
    assert not (set(PROPERTIES) & set(METHODS) or set(PROPERTIES) & set(AGGREGATES) or set(METHODS) & set(AGGREGATES))
    assert not {name for name in (*PROPERTIES, *METHODS, *AGGREGATES) if name in vars(api.Expression)}


def written_out(program: str, place: Path) -> Path:
    """The file with the program, and with what that leaves out."""
    for short, long in LEFT_OUT.items():
        program = program.replace(short, long)
    assert "…" not in program
    place.write_text(program)
    return place


def test_the_first_program_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("airflow_nrt.engine.query.run_changelog", lambda *_: [CHANGE])
    monkeypatch.setattr("airflow_nrt.table.tables.result._session", lambda plan: None)
    exec(PROGRAMS[0], {"__name__": "example"})
    assert "| +I |    A | 4.00 |" in capsys.readouterr().out


def test_the_report_is_one(tmp_path: Path) -> None:
    plan = load_report(written_out(PROGRAMS[1], tmp_path / "documented.py"), {"DATA": "bids", "size": "5"})
    assert [insert.name for insert in plan.inserts] == ["top"]
    assert (plan.operators[0].window.size, plan.sources[0].table.path) == (5 * MINUTE, str(tmp_path / "bids"))


def test_the_timing_is_one() -> None:
    names: dict[str, Any] = {}
    exec(PROGRAMS[2][: PROGRAMS[2].index("bids.")], names)
    names["timing"].check_of_windows()


def test_the_dag_file_parses(tmp_path: Path) -> None:
    pytest.importorskip("airflow")
    header = "from airflow.sdk import DAG, task\nfrom airflow_nrt.operators.verify import NrtVerifyOperator\n"
    dags = runpy.run_path(str(written_out(header + PROGRAMS[3], tmp_path / "documented_dag.py")))
    assert dags["top"].__name__ == "top"
