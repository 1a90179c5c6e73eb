"""Runs small cases after public bug reports and questions, through the code of `airflow-nrt query`.

    python tests/field/run.py DIR [--mode stream|batch|both] [-k PATTERN]

A case is a directory with `ddl.sql`, `query.sql`, its inputs, and what is right: `expected.jsonl` (rows in any order),
or `expected-error.txt`, whose lines all stand in the message.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.model.origins import Origin
from airflow_nrt.sql.planner import plan_query

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.golden.run import Outcome, command

SPARKS_WORDS = ("spark.sql.", "try_", "Py4J", "SQLSTATE", "org.apache.spark", "file:/")
"""What a user reads in no message: advice and names of Spark's own."""


@dataclass(frozen=True)
class Case:
    directory: Path

    @property
    def name(self) -> str:
        return self.directory.name

    def text(self, file: str) -> str:
        return (self.directory / file).read_text(encoding="utf-8")

    @property
    def fails(self) -> bool:
        return (self.directory / "expected-error.txt").exists()


def cases_below(directory: Path, pattern: str = "") -> list[Case]:
    """All cases below a directory whose name contains the pattern."""
    found = (Case(file.parent) for file in directory.resolve().rglob("query.sql"))
    return sorted((case for case in found if pattern in case.name), key=lambda case: case.name)


def run_case(spark: Any, case: Case, mode: str) -> Outcome:
    """Runs a case in one mode and compares."""
    origins: Sequence[Origin] = ()
    try:
        plan = plan_query(case.text("ddl.sql"), case.text("query.sql"), case.directory)
        origins = plan.origins
        rows = [json.loads(line) for line in run_bounded(spark, plan, mode)]
    except Exception as failure:
        known = explained(failure, origins)
        difference = _wrong_words(str(known), case) if known else f"{type(failure).__name__}: {failure}"
    else:
        difference = f"no error, but {rows}" if case.fails else _wrong_rows(rows, case)
    return Outcome(not difference, "FAILED" if difference else "passed", difference[:2000])


def _wrong_words(message: str, case: Case) -> str:
    if not case.fails:
        return message
    missing = [line for line in case.text("expected-error.txt").splitlines() if line not in message]
    foreign = [words for words in SPARKS_WORDS if words in message]
    return f"without {missing}, with {foreign}: {message}" if missing or foreign else ""


def _wrong_rows(rows: Sequence[dict[str, Any]], case: Case) -> str:
    expected = [json.loads(line) for line in case.text("expected.jsonl").splitlines()]
    ours, right = (Counter(json.dumps(row, sort_keys=True) for row in each) for each in (rows, expected))
    return "" if ours == right else f"missing {list(right - ours)}, unexpected {list(ours - right)}"


def main(arguments: Sequence[str] | None = None) -> int:
    return command(__doc__ or "", arguments, cases_below, run_case)


if __name__ == "__main__":
    sys.exit(main())
