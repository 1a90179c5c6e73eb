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
    staged = {path.name for path in home.staged.iterdir()} if home.staged.exists() else set()
    return [one for one in decided if Path(one.staged).parts[1] in staged] if staged else []
