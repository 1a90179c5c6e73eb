"""Rows of sources that a person has asked to leave out before any entry has read them.

They are in the ledger of the home, `ledger/skipped/`, a JSON object a line. The lease of each driver has those that
there were when it began, and that driver leaves them out. So do backfills and verifications, which read the log.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import decoded
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import records
from airflow_nrt.home.log.history import History
from airflow_nrt.home.log.skipped_rows import unread
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
    for record in records(home.ledger / SKIPPED):
        try:
            one = decoded(record, _Record)
        except TypeError as wrong:
            raise HomeError(f"the ledger of rows that are to be left out can't be read: {wrong}") from None
        found[one.source].append(one.row)
    return {source: tuple(rows) for source, rows in found.items()}


def ask(home: Home, source: str, rows: Sequence[SkippedRow]) -> None:
    """Adds rows to those that are to be left out."""
    known = asked(home)
    known[source] = tuple(dict.fromkeys((*known.get(source, ()), *rows)))
    directory = home.ledger / SKIPPED
    make_private(directory)
    every = (_Record(name, row) for name, of in known.items() for row in of)
    lines = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in every)
    replace_file(directory / "part-rows.txt", lines.encode())


def as_history_skips(plan: Plan, history: History, home: Home) -> Plan:
    """The plan by which the rows of a history are read again, and those that no entry has read."""
    new = asked(home)
    for name, rows in new.items():
        known = history.skipped.get(name, ())
        later = unread((row for row in rows if row not in known), history.splits(name))
        new[name] = (*known, *later)
    return skipping({**history.skipped, **new}, plan)


def skipping(rows: Rows, plan: Plan) -> Plan:
    """The plan that leaves out these rows."""
    if not rows:
        return plan
    sources = tuple(replace(one, skipped=tuple(rows.get(one.name, ()))) for one in plan.sources)
    by_entry = None if plan.by_entry is None else skipping(rows, plan.by_entry)
    return replace(plan, sources=sources, by_entry=by_entry)
