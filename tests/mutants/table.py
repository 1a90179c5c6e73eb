"""`python -m tests.mutants.table RECORD`: the table of README.md, from a record of the tests that the list names."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.mutants.fault import Fault, all_faults
from tests.mutants.record import recorded
from tests.mutants.trial import Trial


def table(record: Path) -> str:
    """A row for each fault, in the order of the list. Raises KeyError for one that is not recorded."""
    known = recorded(record)
    rows = [_row(fault, known[fault.name, "expected"]) for fault in all_faults()]
    return "\n".join(("| area | fault | few | file | found by | s |", "|---|---|---|---|---|---|", *rows))


def _row(fault: Fault, trial: Trial) -> str:
    tests = ", ".join(f"`{one.removeprefix('tests/')}`" for one in fault.tests)
    found = f"{trial.failed} of {trial.run} in {tests}"
    place = fault.file.removeprefix("airflow_nrt/")
    few = "few" if fault.few else ""
    return f"| {fault.area} | {fault.name} | {few} | `{place}` | {found} | {trial.seconds:.0f} |"


if __name__ == "__main__":
    print(table(Path(sys.argv[1])))
