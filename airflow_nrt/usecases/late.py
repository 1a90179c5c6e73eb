"""Counts the late and the rejected rows of a home, and reads them from its ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX, NO_VALUE, REJECTED, records_in
from airflow_nrt.home.ledger_files import ledger_files
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.log.history.rejections import null_fields
from airflow_nrt.usecases.requests.late import LateRequest, LateRows


def late(request: LateRequest) -> LateRows:
    """Raises InputError if there is no home, HomeError if its ledger can't be read."""
    home = Home.open(request.home, request.group)
    commits = [(entry.n, entry.body) for entry in home.log().audit() if isinstance(entry.body, Commit)]
    rejected: Counter[str] = Counter()
    for _, commit in commits:
        rejected.update(commit.rejected)
    return LateRows(
        late=sum(one.late for _, commit in commits for one in commit.late),
        dropped=sum(one.dropped for _, commit in commits for one in commit.late),
        rejected={reason: count for reason, count in rejected.items() if reason != NO_VALUE},
        null_fields=null_fields(rejected),
        rows=tuple(islice(_rows(home, commits), request.limit or None)),
    )


def _rows(home: Home, commits: list[tuple[int, Commit]]) -> Iterator[dict[str, Any]]:
    for n, commit in commits:
        for name, files in ledger_files(home.root, commit).items():
            late = {"kind": "late", "operator": name.removeprefix(LATE_PREFIX)}
            for record in chain.from_iterable(map(records_in, files)):
                yield {"entry": n, **({"kind": REJECTED} if name == REJECTED else late), **record}
