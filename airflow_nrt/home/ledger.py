"""The late ledger and the reject list in a home: one directory per commit, JSON lines that a person can read with
`cat`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import parse_json
from airflow_nrt.files.numbers_as_written import NumberAsWritten
from airflow_nrt.files.private_files import MOST_BYTES
from airflow_nrt.home.store.store_path import StorePath

ENDING = ".txt"
LATE_PREFIX, REJECTED = "late-", "rejected"
"""Names in the directory of a commit: `late-<operator>/` and `rejected/`."""
MALFORMED, NO_VALUE = "malformed line", "malformed field"
TIMELESS, FUTURE = "NULL rowtime", "rowtime in the future"
SKIPPED, IN_HISTORY = "skipped", "before the end of the history"
"""The reasons of rows that are rejected; a malformed field is that of a row that is read with NULL."""


def records(path: StorePath) -> Iterator[dict[str, Any]]:
    """The records in one of these directories. Raises HomeError at one that can't be read."""
    for file in path.below(ENDING):
        yield from records_in(file)


def records_in(file: StorePath) -> Iterator[dict[str, Any]]:
    """The records in one file of them. Raises as `records` does."""
    number = 0
    try:
        with file.open() as lines:
            while line := lines.readline(MOST_BYTES):
                number += 1
                yield _record(line)
    except (OSError, ValueError) as wrong:
        raise HomeError(f"the ledger {file} can't be read in line {number}: {wrong}") from None


def _record(line: bytes) -> dict[str, Any]:
    """Raises ValueError for a line that is no JSON object, or was cut because it is too long."""
    found = parse_json(line, NumberAsWritten)
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    return found
