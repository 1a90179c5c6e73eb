"""The first windows of tables that were added to a report after old entries of its log were removed."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.past.past import past_results


def first_windows(log: Log, added: Mapping[str, str]) -> dict[str, int | None]:
    """By added insert, the end (ms) of the first window that it can have; None if there is none yet.

    `added` are the inserts with their twins. Only those are named whose twin has results of removed entries, which they
    lack. Raises HomeError.
    """
    below = log.beginning().results
    found: dict[str, int | None] = {name: None for name, twin in added.items() if twin in below and name not in below}
    if not found:
        return {}
    ends: dict[str, int] = {}
    for one in standing_at(past_results(log)):
        insert, end = one.published.insert, one.published.end
        if end is not None:
            ends[insert] = min(end, ends.get(insert, end))
    for name in found:
        known = [ends[one] for one in (name, added[name]) if one in ends]
        found[name] = min(known, default=None)
    return found
