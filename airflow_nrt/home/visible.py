"""Which results are in their sinks. Until then they wait below `staged/`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published


def is_waiting(home: Home, entry: Entry, table: str | None = None) -> bool:
    """Whether results of the entry, in this table or in any, are not visible yet."""
    return bool(waiting(home, [one for one in entry.published if table in (None, one.insert)]))


def waiting(home: Home, decided: Iterable[Published]) -> list[Published]:
    """Those of these results that are not visible yet."""
    staged = staged_directories(home)
    return [one for one in decided if directory_of(one) in staged] if staged else []


def staged_directories(home: Home) -> set[str]:
    """The names of the directories of results that are not visible yet, or that no entry has decided."""
    return {*home.staged.names()}


def directory_of(one: Published) -> str:
    return Path(one.staged).parts[1]
