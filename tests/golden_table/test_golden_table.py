"""The programs that ran in PyFlink, as a stream and in batch, and those that PyFlink refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt import table as api
from airflow_nrt.sql.errors import SqlError
from tests.golden.run import Case, cases_below
from tests.golden_table.run import modes_of, run_case

HERE = Path(__file__).parent
RUNS = [(case, mode) for case in cases_below(HERE / "cases") for mode in modes_of(case)]
ERRORS = json.loads((HERE / "errors" / "errors.json").read_text())
REFUSED = {
    "unknown_column": "there is no column 'nope'; there are id, ts, k, v, pt, plain",
    "window_no_time_attribute": "requires the timecol is a time attribute type, but is TIMESTAMP(3). Add WATERMARK FOR",
    "session_row_count": "a session window takes a gap of time, as in lit(10).minutes, not a number of rows",
    "non_grouped_column": "Expression 'v' is not being grouped",
    "where_not_boolean": "WHERE wants a condition, v + 1 is INT",
    "over_no_order": "the row window 'w' has no order: write Over.partition_by(…).order_by(col('ts'))",
    "map_loses_time_attribute": "requires the timecol is a time attribute type, but is TIMESTAMP(3). It was computed",
    "add_existing_column": "two columns are named 'v': give one an alias",
    "duplicate_output_name": "two columns are named 'a': give one an alias",
}
"""Programs, and what they are told. The others run here; PyFlink runs three of them itself."""


def run(n: int, case: Case, mode: str) -> Any:
    """Every second one is in the suite."""
    return pytest.param(case, mode, id=f"{case.directory.name}-{mode}", marks=pytest.mark.thorough if n % 2 else ())


@pytest.mark.parametrize("case, mode", [run(n, *one) for n, one in enumerate(RUNS)])
def test_equals_pyflink(spark, case: Case, mode: str) -> None:
    outcome = run_case(spark, case, mode)
    assert outcome.passed, outcome.detail


@pytest.mark.parametrize("told", ERRORS["tests"], ids=lambda told: told["id"])
def test_a_program_is_refused_where_it_is_wrong(told: dict[str, str]) -> None:
    environment = api.TableEnvironment(base=HERE)
    environment.execute_sql(ERRORS["ddl"].replace("${CASE_DIR}", str(HERE / "errors")))
    program: dict = {}
    exec(compile(told["program"], "program.py", "exec"), program)

    def planned() -> None:
        environment.plan_of(program["program"](api, {"src": environment.from_path("src")}))

    if told["id"] not in REFUSED:
        planned()
        return
    with pytest.raises(SqlError) as wrong:
        planned()
    assert REFUSED[told["id"]] in wrong.value.message
    assert str(wrong.value.at).startswith("program.py, line ")
