"""Counts the late and the rejected rows of a home, and reads them from its ledger."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX, REJECTED, records
from airflow_nrt.home.log.entries import Commit, Published
from airflow_nrt.usecases.requests.late import LateRequest, LateRows


def late(request: LateRequest) -> LateRows:
    """Raises InputError if there is no home, HomeError if its ledger can't be read."""
    home = Home.open(request.home, request.group)
    commits = [(entry.n, entry.body) for entry in home.log().entries() if isinstance(entry.body, Commit)]
    rejected: Counter[str] = Counter()
    for _, commit in commits:
        rejected.update(commit.rejected)
    has_ledger = {path.name for path in (home.path / "ledger").iterdir()} if (home.path / "ledger").is_dir() else set()
    published = ((entry.n, one) for entry in home.log().entries() for one in entry.published)
    refused = [(n, one) for n, one in published if one.staged.split("/")[1] in has_ledger]
    rejected.update(record["reason"] for _, record in _refused(home, refused))
    return LateRows(
        late=sum(one.late for _, commit in commits for one in commit.late),
        dropped=sum(one.dropped for _, commit in commits for one in commit.late),
        rejected=dict(rejected),
        rows=tuple(islice(_in_order(_rows(home, commits), _refused_rows(home, refused)), request.limit or None)),
    )


def _in_order(*rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All rows by their entries."""
    return heapq.merge(*rows, key=lambda row: row["entry"])


def _refused(home: Home, published: list[tuple[int, Published]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows that sinks can't take, also those that were set aside later, each with its entry."""
    read: set[str] = set()
    for n, one in published:
        for directory in (one.refused_rows, one.rows_aside):
            if directory not in read and (home.path / directory).is_dir():
                yield from ((n, record) for record in records(home.path / directory))
            read.add(directory)


def _refused_rows(home: Home, published: list[tuple[int, Published]]) -> Iterator[dict[str, Any]]:
    yield from ({"entry": n, "kind": REJECTED, **record} for n, record in _refused(home, published))


def _rows(home: Home, commits: list[tuple[int, Commit]]) -> Iterator[dict[str, Any]]:
    for n, commit in commits:
        if commit.ledger is None:
            continue
        for directory in sorted((home.path / commit.ledger).iterdir()):
            for record in records(directory):
                name = directory.name.removeprefix(LATE_PREFIX)
                kind = {"kind": REJECTED} if directory.name == REJECTED else {"kind": "late", "operator": name}
                yield {"entry": n, **kind, **record}
