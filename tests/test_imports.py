"""What each layer loads, in a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

_PROBE = """
import json, sys, time
before = set(sys.modules)
start = time.process_time()
for module in sys.argv[1:]:
    __import__(module)
seconds = time.process_time() - start
print(json.dumps({"seconds": seconds, "modules": sorted({name.split(".")[0] for name in set(sys.modules) - before})}))
"""
PURE = [
    "airflow_nrt.report.home",
    "airflow_nrt.report.status",
    "airflow_nrt.report.history",
    "airflow_nrt.report.verdict",
    "airflow_nrt.report.description",
    "airflow_nrt.sql.load",
    "airflow_nrt.sql.planner",
    "airflow_nrt.table",
    "airflow_nrt.table.functions",
    "airflow_nrt.table.grouped",
    "airflow_nrt.table.result",
    "airflow_nrt.table.row_counts",
]


def loaded(*modules: str) -> tuple[set[str], float]:
    """The top-level modules that these bring along, and the seconds that it took."""
    told = subprocess.run([sys.executable, "-c", _PROBE, *modules], capture_output=True, text=True, check=True)
    answer = json.loads(told.stdout)
    return set(answer["modules"]), answer["seconds"]


def test_report_and_sql_need_the_standard_library_alone() -> None:
    modules, _ = loaded(*PURE)
    # A build's own configuration, which zoneinfo asks for its path, is named after the machine.
    foreign = {name for name in modules - sys.stdlib_module_names if not name.startswith("_sysconfigdata")}
    assert foreign == {"airflow_nrt"}


@pytest.mark.parametrize("heavy", ["pyspark", "airflow", "sqlalchemy", "py4j", "pandas"])
def test_the_command_line_starts_light(heavy: str) -> None:
    modules, _ = loaded("airflow_nrt.cli.main")
    assert heavy not in modules


@pytest.mark.parametrize("module", ["airflow_nrt.cli.main", "airflow_nrt.table"])
def test_what_people_wait_for_starts_fast(module: str) -> None:
    seconds = min(loaded(module)[1] for _ in range(3))
    print(f"{module}: {seconds * 1000:.0f} ms")
    # Processor time: alone they take 10 and 50 ms, and a machine that is busy with other tests takes longer.
    assert seconds < 0.25
