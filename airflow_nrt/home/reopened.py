"""Closed directories of sources that a person has asked to open again, until the lease of a driver opens them.

They are in the ledger of the home, `ledger/reopen/`, a JSON object a line. A request that a lease has taken is removed.
If its driver dies before that, the next lease opens the same directories once more, which changes nothing.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import decoded
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import records_in
from airflow_nrt.home.log.closed_directories import Directories
from airflow_nrt.home.store.store_path import StorePath

REOPEN = "reopen"
"""The directory in the ledger."""


@dataclass(frozen=True)
class _Record:
    source: str
    directory: str


@dataclass(frozen=True)
class Reopening:
    """What the next driver opens again, and the requests for it."""

    directories: Directories
    requests: tuple[StorePath, ...]

    def is_done(self) -> None:
        """A lease has opened them."""
        for request in self.requests:
            request.delete()


def reopen(home: Home, source: str, directories: Iterable[str]) -> None:
    """Asks the next driver to open directories again. Several may ask at a time: each request is a file."""
    (home.ledger / REOPEN).make()
    records = (_Record(source, directory) for directory in directories)
    content = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in records)
    (home.ledger / REOPEN / f"part-{uuid.uuid4().hex}.txt").replace(content.encode())


def reopening(home: Home) -> Reopening:
    """What was asked for and no lease has done yet. Raises HomeError if it can't be read."""
    requests = tuple((home.ledger / REOPEN).below(".txt"))
    found: dict[str, dict[str, None]] = {}
    for request in requests:
        for record in records_in(request):
            try:
                one = decoded(record, _Record)
            except TypeError as wrong:
                raise HomeError(f"{request} can't be read: {wrong}") from None
            found.setdefault(one.source, {})[one.directory] = None
    return Reopening({name: tuple(some) for name, some in found.items()}, requests)
