"""Two inserts with the same query: what the table of one has is what the table of the other would have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Insert


def twin_of(insert: Insert, others: Iterable[Insert]) -> Insert:
    """The insert among `others` from whose table that of `insert` can be filled.

    Raises InputError if there is none: its message says why.
    """
    same = [one for one in others if (one.selected, one.query.inputs) == (insert.selected, insert.query.inputs)]
    into = f"insert into {insert.name} is new"
    if not same:
        raise InputError(f"{into}, and no insert that was there has the same query: nothing can fill its table")
    reason = _unlike_windows(insert)
    if reason is not None:
        raise InputError(f"{into}: its table can't be filled from that of {same[0].name}: {reason}")
    reasons = {one.name: _unreadable(insert, one) for one in same}
    found = next((one for one in same if reasons[one.name] is None), None)
    if found is None:
        why = "; ".join(f"that of {name}, because {text}" for name, text in reasons.items())
        raise InputError(f"{into}: its table can't be filled from {why}")
    return found


def _unlike_windows(insert: Insert) -> str | None:
    """Why the results of an insert are not one whole version of each window, None if they are."""
    if not insert.operators or insert.window is None or insert.changes:
        return "the query has no windows"
    if not insert.window.ends_on_grid:
        return f"{insert.window} may publish several times at one end"
    if not insert.timing.publishes_once:
        return "its windows have early results or late updates"
    return "ORDER BY would not be kept" if insert.order else None


def _unreadable(insert: Insert, twin: Insert) -> str | None:
    """Why rows of the twin's table can't be written as those of the insert, None if they can."""
    if not connector_of(twin.sink).keeps_rows:
        return f"connector '{twin.sink.connector}' can't be read back"
    if not connector_of(twin.sink).keeps_exactly(twin.sink):
        return "its files have '' and NULL alike (set 'csv.null-literal' in a report with a new home)"
    if [field.type for field in twin.query.fields] != [field.type for field in insert.query.fields]:
        return "its columns have other types: declare the new table with the same"
    if replace(twin.timing, result_state=None) != replace(insert.timing, result_state=None):
        return "its windows are published at another time"
    return None
