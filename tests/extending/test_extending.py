"""A new aggregate is one file and a line in two registries; a source and a sink come in a package of their own.

They do what others do. `docs/architecture.md` shows the lines.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.engine import aggregates as families
from airflow_nrt.engine import sinks, sources
from airflow_nrt.engine.backfill import REPAIR, backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.log.splits import SourceRange
from airflow_nrt.model import aggregates, connectors
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.load import plan_script
from tests.engine.no_spark import NO_SPARK
from tests.engine.reports import HOUR, MORNING, Stream
from tests.extending.spread import SPREAD, spread

PACKAGE = Path(__file__).with_name("package")
TOY = ((aggregates, aggregates.AGGREGATES, SPREAD), (families, families.FAMILIES, spread))
"""What the aggregate is registered in: all that the product has to know of it."""
REPORT = """
CREATE TABLE orders (shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE)
WITH ('connector' = 'tail', 'path' = '${DATA}/orders.jsonl', 'format' = 'json');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), n BIGINT, spread INT)
WITH ('connector' = 'sqlite', 'path' = '${DATA}/curve.db');
INSERT INTO curve SELECT shop, window_end, COUNT(*), SPREAD(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '1' DAY))
GROUP BY shop, window_start, window_end;
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of packages with the toys, as an installer leaves it."""
    place = tmp_path_factory.mktemp("packages")
    shutil.copytree(PACKAGE / "nrt_toys", place / "nrt_toys", ignore=shutil.ignore_patterns("__pycache__"))
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    metadata = place / "nrt_toys-1.0.dist-info"
    metadata.mkdir()
    head = {"Metadata-Version": "2.1", "Name": project["name"], "Version": project["version"]}
    (metadata / "METADATA").write_text("".join(f"{key}: {value}\n" for key, value in head.items()))
    groups = ((name, *lines.items()) for name, lines in project["entry-points"].items())
    texts = (f"[{name}]\n" + "\n".join(f"{key} = {value}" for key, value in lines) for name, *lines in groups)
    (metadata / "entry_points.txt").write_text("\n\n".join(texts))
    return place


@pytest.fixture(autouse=True)
def registered(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(installed))
    for registry in (connectors.CONNECTORS, sources.SOURCES, sinks.SINKS):
        # What it knows of installed packages is that of before.
        monkeypatch.setattr(registry, "_things", dict(registry._things))
        # Set first: monkeypatch puts back only what it has recorded, also that there was nothing.
        monkeypatch.setitem(vars(registry), "_added", {})
        monkeypatch.delitem(vars(registry), "_added")
    for _, registered, toy in TOY:
        monkeypatch.setitem(registered, "SPREAD", toy)  # type: ignore[arg-type]


@pytest.fixture
def report(tmp_path: Path) -> Iterator[Plan]:
    append(tmp_path, (1, 10, "08:10:00"), (1, 70, "08:20:00"), (2, 5, "08:30:00"))
    yield plan_script(REPORT, {"DATA": str(tmp_path)}, "toys", tmp_path)


def append(place: Path, *rows: tuple[int, int, str]) -> None:
    with (place / "orders.jsonl").open("a") as file:
        for shop, price, at in rows:
            file.write(json.dumps({"shop": shop, "price": price, "ts": f"2024-06-18 {at}"}) + "\n")


def absorb(stream: Stream) -> None:
    """What was appended since the log's last entry, as a driver that was just started finds it."""
    (source,) = stream.plan.sources
    read = [split for entry in stream.entries if isinstance(entry.body, Commit) for split in entry.body.splits]
    stream.driver.absorb(source.name, sources.source_of(source.table).enumerator(None, source.table, read).poll())


def curve(place: Path) -> list[tuple[int, int, int, int]]:
    """Shop, hour of the window's end, rows and spread."""
    with sqlite3.connect(place / "curve.db") as database:
        rows = [json.loads(value) for (value,) in database.execute("SELECT value FROM rows")]
    return sorted((row["shop"], int(row["window_end"][11:13]), row["n"], row["spread"]) for row in rows)


def test_they_stream_are_late_and_are_verified(spark, report: Plan, tmp_path: Path) -> None:
    stream = Stream(spark, report, tmp_path / "home")
    absorb(stream)
    append(tmp_path, (1, 30, "10:10:00"))
    absorb(stream)
    assert curve(tmp_path) == [(1, 9, 2, 60), (1, 10, 2, 60), (2, 9, 1, 0), (2, 10, 1, 0)]
    append(tmp_path, (2, 95, "08:40:00"), (1, 31, "12:30:00"))
    absorb(Stream(spark, report, tmp_path / "home"))
    assert curve(tmp_path)[-2:] == [(2, 11, 2, 90), (2, 12, 2, 90)]
    ranges = [one for entry in stream.home.log().audit() if isinstance(entry.body, Commit) for one in entry.body.ranges]
    assert [type(one) for one in ranges] == [SourceRange] * 3
    assert [one.start for one in ranges[1:]] == [one.end for one in ranges[:-1]]

    verdict = verify(spark, report, stream.home)
    assert verdict.is_proven and verdict.late_rows == 1
    assert (verdict.inserts[0].equal, verdict.inserts[0].explained) == (2, 2)


def test_a_run_to_the_end_of_the_input(spark, report: Plan, tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", report)
    assert Runner(spark, report, home).run() == "finished"
    # From 09:00 to 24:00, of two shops.
    assert len(curve(tmp_path)) == 32 and curve(tmp_path)[-1] == (2, 23, 1, 0)
    assert verify(spark, report, home).is_proven


@pytest.mark.thorough
def test_they_are_backfilled_and_repaired(spark, report: Plan, tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", report)
    morning = Interval(MORNING + 8 * HOUR, MORNING + 10 * HOUR)
    result = backfill(spark, report, home, morning, check=True)
    assert result.verdict is not None and result.verdict.is_proven
    assert curve(tmp_path) == [(1, 9, 2, 60), (1, 10, 2, 60), (2, 9, 1, 0), (2, 10, 1, 0)]

    with sqlite3.connect(tmp_path / "curve.db") as database:
        database.execute("UPDATE rows SET value = replace(value, '60', '61') WHERE ends = ?", [MORNING + 10 * HOUR])
    assert verify(spark, report, home, morning).unexplained == 1
    repaired = backfill(spark, report, home, morning, True, REPAIR)
    assert repaired.verdict is not None and repaired.verdict.is_proven
    assert [one.end for one in repaired.published] == [MORNING + 10 * HOUR]


def test_what_the_log_knows_nothing_of_is_found(spark, report: Plan, tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", report)
    Runner(spark, report, home).run()
    with sqlite3.connect(tmp_path / "curve.db") as database:
        database.execute("INSERT INTO rows VALUES ('foreign', 0, '{}')")
    assert "curve.db: foreign" in str(verify(spark, report, home).problems)


def test_they_are_explained(report: Plan, tmp_path: Path) -> None:
    told = describe(report)
    assert told["sources"][0]["path"] == str(tmp_path / "orders.jsonl")
    assert told["operators"][0]["aggregates"] == ["COUNT(*): BIGINT NOT NULL", "SPREAD(price): INT"]
    assert (told["inserts"][0]["connector"], told["inserts"][0]["path"]) == ("sqlite", str(tmp_path / "curve.db"))


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("SPREAD(price)", "SPREAD(ts)", r"SPREAD wants a whole number, here is TIMESTAMP\(3\)"),
        ("'sqlite', 'path'", "'sqlite', 'pth'", "there is no option 'pth'; did you mean 'path'"),
        ("'connector' = 'sqlite'", "'connector' = 'tail'", "connector 'tail' can only be read"),
        ("'tail'", "'tale'", "there is no connector 'tale'; did you mean 'tail'"),
    ],
)
def test_what_is_wrong_is_said_as_of_others(tmp_path: Path, before: str, after: str, error: str) -> None:
    with pytest.raises((SqlError, InputError), match=error):
        plan_script(REPORT.replace(before, after), {"DATA": str(tmp_path)}, "toys", tmp_path)


def test_a_second_home_is_refused(report: Plan, tmp_path: Path) -> None:
    for name in ("first", "second"):
        home = Home.create(tmp_path / name, report)
        if name == "first":
            sinks.sink_of(report.inserts[0]).check(NO_SPARK, home, report.inserts[0])
    with pytest.raises(InputError, match="another home publishes to"):
        sinks.sink_of(report.inserts[0]).check(NO_SPARK, home, report.inserts[0])


@pytest.mark.process
def test_a_command_finds_the_package(installed: Path, report: Plan, tmp_path: Path) -> None:
    """In a process of its own, which knows only what is installed."""
    (tmp_path / "toys.sql").write_text(REPORT.replace("SPREAD(price)", "MAX(price)"))
    command = [sys.executable, "-m", "airflow_nrt.cli.main", "check", "toys.sql", "--set", f"DATA={tmp_path}"]
    checked = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(installed)}, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_map_shows_the_files_that_an_aggregate_touches() -> None:
    root = Path(__file__).parents[2]
    text = (root / "docs/architecture.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"A new aggregate:\n\n```diff\n(.*?)```", text, re.DOTALL)
    shown = re.findall(r"^\+\+\+ (\S+)$", block, re.MULTILINE)
    assert set(shown) == {str(Path(str(module.__file__)).relative_to(root)) for module, *_ in TOY}


def test_the_pages_show_the_lines_of_the_package() -> None:
    root = Path(__file__).parents[2]
    project = (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
    lines = project[project.index("[project.entry-points.") :].strip()
    for page in ("docs/architecture.md", "docs/how-to/write-a-connector.md"):
        assert lines in (root / page).read_text(encoding="utf-8"), page


def test_the_how_to_shows_their_code() -> None:
    code = "".join((PACKAGE / "nrt_toys" / name).read_text(encoding="utf-8") for name in ("tail.py", "sqlite.py"))
    page = (Path(__file__).parents[2] / "docs/how-to/write-a-connector.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 3
    for block in blocks:
        _, _, shown = block.partition("\n\n\n")
        assert shown in code or textwrap.indent(shown, "    ") in code
