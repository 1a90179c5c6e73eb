"""Counts the late and the rejected rows of a home, and reads them from its ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX, NO_VALUE, REJECTED, records_in
from airflow_nrt.home.log.history.rejections import null_fields
from airflow_nrt.home.log.past.past import rows_left_out
from airflow_nrt.home.log.past.past_entry import LeftOut
from airflow_nrt.home.written.ledger_files import ledger_files
from airflow_nrt.usecases.requests.late import LateRequest, LateRows


def late(request: LateRequest) -> LateRows:
    """Raises InputError if there is no home, HomeError if its ledger can't be read."""
    home = Home.open(request.home, request.group)
    left_out = [*rows_left_out(home.log())]
    rejected: Counter[str] = Counter()
    for _, one in left_out:
        rejected.update(one.rejected)
    return LateRows(
        late=sum(one.late for _, one in left_out),
        dropped=sum(one.dropped for _, one in left_out),
        rejected={reason: count for reason, count in rejected.items() if reason != NO_VALUE},
        null_fields=null_fields(rejected),
        rows=tuple(islice(_rows(home, left_out), request.limit or None)),
    )


def _rows(home: Home, left_out: Iterable[tuple[int, LeftOut]]) -> Iterator[dict[str, Any]]:
    for n, one in left_out:
        for name, files in ledger_files(home.root, one).items():
            late = {"kind": "late", "operator": name.removeprefix(LATE_PREFIX)}
            for record in chain.from_iterable(map(records_in, files)):
                yield {"entry": n, **({"kind": REJECTED} if name == REJECTED else late), **record}
