"""Runs golden programs of the Table API, with the results that real PyFlink gave.

    python tests/golden_table/run.py DIR [--mode stream|batch|both] [-k PATTERN]

A case is a directory anywhere below DIR with `case.py` (`program(api, t)`), `ddl.sql`, `expected.jsonl` and
`case.json`. The last line is `N passed, N failed`; each mode counts. The exit status is 0 only if none failed.
Results are compared as tables: changelogs folded, rows in any order. What depends on the order of arrival or on
processing time has no batch.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from airflow_nrt import table as api
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.filling.placeholders import fill_placeholders
from tests.golden.run import MODES, Case, Outcome, cases_below, command, compare

FILES = 3
"""A stream reads its input in as many batches."""


def modes_of(case: Case) -> tuple[str, ...]:
    """The modes that a case has a result in."""
    by_arrival = "arrival_order" in case.facts["tags"] or any(one.get("proctime") for one in case.facts["tables"])
    return ("stream",) if by_arrival else MODES


def plan_program(case: Case, place: Path) -> Plan:
    """The plan of what the program gives; its tables are in `place`."""
    environment = api.TableEnvironment(base=place)
    environment.execute_sql(fill_placeholders(case.text("ddl.sql"), {"CASE_DIR": str(place)}))
    if case.facts.get("time_zone", "UTC") != "UTC":
        environment.get_config().set_local_timezone(case.facts["time_zone"])
    program: dict[str, Any] = {"__name__": "case"}
    exec(compile(case.text("case.py"), case.directory / "case.py", "exec"), program)
    tables = {table["name"]: environment.from_path(table["name"]) for table in case.facts["tables"]}
    return environment.plan_of(program["program"](api, tables))


def run_case(spark: Any, case: Case, mode: str) -> Outcome:
    """Runs a case in one mode and compares. Any error is an outcome."""
    try:
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory)
            _cut(case, place)
            difference = compare(list(run_bounded(spark, plan_program(case, place), mode)), case)
    except Exception as failure:
        known = explained(failure)
        difference = str(known) if known is not None else f"{type(failure).__name__}: {failure}"
    return Outcome(not difference, "FAILED" if difference else "passed", difference[:2000])


def _cut(case: Case, place: Path) -> None:
    """The inputs, each cut into files that arrive one by one."""
    for table in case.facts["tables"]:
        lines = case.text(table["file"]).splitlines(keepends=True)
        folder = place / table["file"]
        folder.mkdir()
        for n in range(FILES):
            file = folder / f"{n}.jsonl"
            file.write_text("".join(lines[len(lines) * n // FILES : len(lines) * (n + 1) // FILES]), encoding="utf-8")
            os.utime(file, (n, n))


def main(arguments: Sequence[str] | None = None) -> int:
    return command(__doc__ or "", arguments, cases_below, run_case, modes_of)


if __name__ == "__main__":
    sys.exit(main())
