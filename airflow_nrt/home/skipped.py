"""Rows of sources that a person has asked to leave out before any entry has read them.

They are in the ledger of the home, `ledger/skipped/`, a JSON object a line. The lease of each driver has those that
there were when it began, and that driver leaves them out. So do backfills and verifications, which read the log.
"""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import decoded
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import records, records_in
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.skipped_row import SkippedRow

SKIPPED = "skipped"
"""The directory in the ledger."""
Rows = Mapping[str, Sequence[SkippedRow]]
"""By source."""


@dataclass(frozen=True)
class _Record:
    source: str
    row: SkippedRow


def asked(home: Home) -> dict[str, tuple[SkippedRow, ...]]:
    """All rows that the home was asked to leave out, by source. Raises HomeError if the ledger can't be read."""
    found: dict[str, list[SkippedRow]] = defaultdict(list)
    for one in _decoded(records(home.ledger / SKIPPED)):
        found[one.source].append(one.row)
    return {source: tuple(dict.fromkeys(rows)) for source, rows in found.items()}


def ask(home: Home, source: str, rows: Sequence[SkippedRow]) -> None:
    """Adds rows to those that are to be left out. Several may ask at a time: each request is a file."""
    (home.ledger / SKIPPED).make()
    _write(home.ledger / SKIPPED / f"part-{uuid.uuid4().hex}.txt", [_Record(source, row) for row in rows])


def no_longer(home: Home, source: str, rows: Collection[SkippedRow]) -> None:
    """Takes rows out of those that are to be left out."""
    for file in (home.ledger / SKIPPED).below(".txt"):
        kept = [one for one in _decoded(records_in(file)) if one.source != source or one.row not in rows]
        if kept:
            _write(file, kept)
        else:
            file.delete()


def _write(file: StorePath, some: Iterable[_Record]) -> None:
    file.replace("".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in some).encode())


def _decoded(some: Iterable[Mapping[str, Any]]) -> Iterator[_Record]:
    for record in some:
        try:
            yield decoded(record, _Record)
        except TypeError as wrong:
            raise HomeError(f"the ledger of rows that are to be left out can't be read: {wrong}") from None


def as_history_skips(plan: Plan, history: History, home: Home) -> Plan:
    """The plan by which the rows of a history are read again, and those that no entry has read."""
    rows = asked(home)
    return skipping({one.name: history.skipped_after(one.name, rows.get(one.name, ())) for one in plan.sources}, plan)


def skipping(rows: Rows, plan: Plan) -> Plan:
    """The plan that leaves out these rows."""
    if not rows:
        return plan
    sources = tuple(replace(one, skipped=tuple(rows.get(one.name, ()))) for one in plan.sources)
    by_entry = None if plan.by_entry is None else skipping(rows, plan.by_entry)
    return replace(plan, sources=sources, by_entry=by_entry)
