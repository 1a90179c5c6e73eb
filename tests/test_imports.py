"""What each layer loads, in a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.usecases.requests.check import CheckRequest
from airflow_nrt.usecases.requests.report import ReportRequest

pytestmark = pytest.mark.process

_PROBE = """
import json, sys, time
before = set(sys.modules)
start = time.process_time()
exec(sys.argv[1])
seconds = time.process_time() - start
print(json.dumps({"seconds": seconds, "modules": sorted(set(sys.modules) - before)}))
"""
_REPORT = """
CREATE TABLE bids (ts TIMESTAMP(3), item STRING) WITH ('connector' = 'filesystem', 'path' = 'bids', 'format' = 'json');
CREATE TABLE items (item STRING) WITH ('connector' = 'filesystem', 'path' = 'items', 'format' = 'json');
INSERT INTO items SELECT item FROM bids;
"""
PURE = [
    "airflow_nrt.home.home",
    "airflow_nrt.home.status",
    "airflow_nrt.home.log.history.history",
    "airflow_nrt.describe.verdict",
    "airflow_nrt.describe.description",
    "airflow_nrt.sql.load",
    "airflow_nrt.sql.planner",
    "airflow_nrt.table",
    "airflow_nrt.table.functions",
    "airflow_nrt.table.tables.grouped",
    "airflow_nrt.table.tables.result",
    "airflow_nrt.table.tables.row_counts",
]


def loaded(program: str) -> tuple[set[str], float]:
    """The modules that a program brings along, and the seconds that it took."""
    told = subprocess.run([sys.executable, "-c", _PROBE, program], capture_output=True, text=True, check=True)
    answer = json.loads(told.stdout.splitlines()[-1])
    return set(answer["modules"]), answer["seconds"]


def test_report_and_sql_need_the_standard_library_alone() -> None:
    modules = {name.partition(".")[0] for name in loaded("import " + ", ".join(PURE))[0]}
    # A build's own configuration, which zoneinfo asks for its path, is named after the machine.
    foreign = {name for name in modules - sys.stdlib_module_names if not name.startswith("_sysconfigdata")}
    assert foreign == {"airflow_nrt"}


@pytest.mark.parametrize("heavy", ["pyspark", "airflow", "sqlalchemy", "py4j", "pandas"])
def test_the_command_line_starts_light(heavy: str) -> None:
    modules, _ = loaded("import airflow_nrt.cli.main")
    assert heavy not in modules


def test_the_table_api_loads_what_is_asked_of_it() -> None:
    assert under("airflow_nrt", loaded("import airflow_nrt.table")[0]) == {"airflow_nrt", "airflow_nrt.table"}
    modules, _ = loaded("from airflow_nrt.table import TableEnvironment, Tumble, col, lit")
    assert not under("airflow_nrt.sql.planner", modules) | under("airflow_nrt.table.functions", modules)
    everything, _ = loaded("from airflow_nrt.table import *")
    assert not {"pyspark", "airflow", "pandas", "airflow_nrt.sql.planner"} & everything


def test_a_check_of_a_script_needs_neither_programs_nor_homes(tmp_path: Path) -> None:
    report = tmp_path / "report.sql"
    report.write_text(_REPORT)
    asking, _ = loaded(f"from airflow_nrt.cli.main import main; assert main(['check', {str(report)!r}]) == 0")
    assert not under("airflow_nrt.sql", asking) | under("airflow_nrt.table", asking)
    content = CheckRequest(ReportRequest(str(report))).to_json()
    modules, _ = loaded(
        f"from airflow_nrt.usecases.answering import ANSWERS; assert ANSWERS['check']({content})['status'] == 0"
    )
    assert "airflow_nrt.sql.planner" in modules
    assert under("airflow_nrt.table", modules) == {
        "airflow_nrt.table",
        "airflow_nrt.table.reports",
        "airflow_nrt.table.reports.load",
    }
    for other in ("airflow_nrt.engine", "airflow_nrt.home.home", "airflow_nrt.home.log.log", "pyspark", "airflow"):
        assert not under(other, modules)


def under(package: str, modules: set[str]) -> set[str]:
    """The package and what is in it, of these modules."""
    return {name for name in modules if name == package or name.startswith(f"{package}.")}


@pytest.mark.parametrize(
    ("program", "most"),
    [
        ("import airflow_nrt.table", 2),
        ("import airflow_nrt.cli.main", 5),
        ("from airflow_nrt.table import TableEnvironment, Tumble, col", 5),
    ],
)
def test_what_people_wait_for_starts_fast(program: str, most: float) -> None:
    """In processor time, beside modules of Python that are imported in turn: a busy machine slows both."""
    beside = "import asyncio, email.mime.text, http.server, unittest.mock"
    times = [(loaded(program)[1], loaded(beside)[1]) for _ in range(3)]
    seconds, of_python = map(min, zip(*times))
    print(f"{program}: {seconds * 1000:.0f} ms, {beside}: {of_python * 1000:.0f} ms")
    assert seconds < most * of_python
