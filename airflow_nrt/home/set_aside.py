"""Rows of results that a sink refused after the log had decided, and that a person has set aside.

They are in the ledger of the home, `ledger/set-aside/`, a JSON object a line. Neither a stream nor a backfill writes
them into their sink, and a verification does not miss them there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import decoded, parse_json
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import records
from airflow_nrt.home.store.records import update
from airflow_nrt.home.store.store_path import StorePath

SET_ASIDE = "set-aside"
"""The directory in the ledger."""


@dataclass(frozen=True)
class SetAside:
    """A row of an insert, of the entry that decided on it, and of the window that ends at `end` (ms).

    `content` identifies it, as the sink does (`Sink.content`); `row` shows it. `reason` is what the sink said.
    """

    insert: str
    entry: int
    end: int | None
    content: str
    row: str
    reason: str


def set_aside(home: Home, rows: Sequence[SetAside]) -> None:
    """Adds rows to those that the home has."""
    if rows:
        update(_file(home), lambda content: (content or b"") + _lines(rows))


def all_set_aside(home: Home) -> Iterator[SetAside]:
    """Raises HomeError if the ledger can't be read."""
    for record in records(home.ledger / SET_ASIDE):
        try:
            yield decoded(record, SetAside)
        except TypeError as wrong:
            raise HomeError(f"the ledger of rows that were set aside can't be read: {wrong}") from None


def take_back(home: Home) -> list[SetAside]:
    """Forgets all rows that were set aside, and gives them."""
    rows = [*all_set_aside(home)]

    def left(content: bytes | None) -> bytes:
        # What others set aside meanwhile stays.
        lines = (content or b"").splitlines(keepends=True)
        return b"".join(line for line in lines if decoded(parse_json(line), SetAside) not in rows)

    if rows:
        update(_file(home), left)
    return rows


def _file(home: Home) -> StorePath:
    return home.ledger / SET_ASIDE / "part-rows.txt"


def _lines(rows: Sequence[SetAside]) -> bytes:
    return "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in rows).encode()
