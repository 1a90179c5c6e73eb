"""By which columns the rows of a relation differ, and whether these are the key of the sink that they go to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from airflow_nrt.report.spelling import quote
from airflow_nrt.report.tables import Table
from airflow_nrt.report.windows import Window
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.relation import Relation
from airflow_nrt.sql.typed import Typed

Keys = tuple[tuple[str, ...], ...]
"""Each is a set of columns that no two rows have in common; none if none is known."""


def carried(keys: Iterable[Sequence[str]], names: Sequence[str], values: Sequence[Typed]) -> Keys:
    """The keys that `values` still hold, under their new `names`; `keys` are given as Spark SQL."""
    shown = {value.sql: name for name, value in reversed(list(zip(names, values)))}
    return tuple(tuple(shown[sql] for sql in key) for key in keys if all(sql in shown for sql in key))


def keys_of_windows(window: Window, keys: Sequence[str]) -> Keys:
    """How rows differ that are grouped by these and both bounds of a window, in Spark SQL."""
    # Many windows of CUMULATE have one start.
    bounds = ("window_end", "window_time", *(("window_start",) if window.kind != "CUMULATE" else ()))
    return tuple((*keys, quote(bound)) for bound in bounds)


def check_key(sink: Table, relation: Relation, written: Keys, at: Place) -> None:
    """Raises SqlError if rows that differ would stand under one key of the sink. `written` are the rows' keys there.

    Of rows that are only added and have no known key, the sink's is the author's promise, as in Flink.
    """
    key, changes = sink.primary_key, relation.is_changing and not relation.adds_only
    outside = [name for name in sink.partition_keys if name not in key]
    if key and changes and outside:
        raise SqlError(
            f"table {sink.name!r}: a row can't move from one partition to another: add {', '.join(outside)} to its "
            "PRIMARY KEY",
            at,
        )
    if not key or (not written and not changes) or any(set(one) <= set(key) for one in written):
        return
    declared = f"table {sink.name!r}: its PRIMARY KEY ({', '.join(key)})"
    pairs = "leave PRIMARY KEY away, so that a change is told as the row before and the row behind it"
    if not written:
        raise SqlError(
            f"{declared} is no key of the query, which gives no columns that tell its rows apart: select all that it "
            f"groups by, or {pairs}",
            at,
        )
    fits = " or ".join(f"({', '.join(one)})" for one in written)
    ways = f"declare PRIMARY KEY ({', '.join(written[0])}) NOT ENFORCED" + (f", or {pairs}" if changes else "")
    raise SqlError(f"{declared} does not tell the query's rows apart, which differ by {fits}: {ways}", at)
