"""The windows of an insert that nothing explains: which they are, samples of their rows, since when they are wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import bigint
from airflow_nrt.describe.table_history import WindowHistory
from airflow_nrt.describe.verdict import EXPLAINED, UNEXPLAINED, BadWindow, RowSample
from airflow_nrt.engine.verify.comparison import CLASS
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert

BAD_WINDOWS_SHOWN = 50
SAMPLES_SHOWN = 5
Kinds = Mapping[str, int]
"""The numbers of the rows of a window, by their classes."""


def state_of(kinds: Kinds) -> str:
    """Of a window: equal, explained or unexplained."""
    if any(kinds.get(kind) for kind in UNEXPLAINED):
        return "unexplained"
    return "explained" if kinds.get(EXPLAINED) else "equal"


def worst_of(by_window: Mapping[int | None, Kinds]) -> list[int | None]:
    """The ends of the first unexplained windows."""
    bad = [end for end, kinds in by_window.items() if state_of(kinds) == "unexplained"]
    return sorted(bad, key=lambda end: end or 0)[:BAD_WINDOWS_SHOWN]


def in_windows(ends: Collection[int | None]) -> str:
    """SQL of the condition that a row is of one of these windows.

    >>> print(in_windows([600000, None]))
    _nrt_end <=> 600000L OR _nrt_end <=> CAST(NULL AS BIGINT)
    """
    return " OR ".join(f"{WINDOW_END} <=> {bigint(end)}" for end in ends)


def wrong_ends(classes: DataFrame) -> set[int | None]:
    """The ends of the windows with unexplained rows."""
    rows = classes.where(F.col(CLASS).isin(*UNEXPLAINED)).select(WINDOW_END).distinct()
    return {row[0] for row in rows.collect()}


def samples_of(classes: DataFrame) -> dict[int | None, tuple[RowSample, ...]]:
    """The first unexplained rows of each window."""
    rows = classes.where(F.col(CLASS).isin(*UNEXPLAINED))
    numbered = rows.selectExpr("*", f"row_number() OVER (PARTITION BY {WINDOW_END} ORDER BY key) AS _nrt_place")
    found: dict[int | None, tuple[RowSample, ...]] = {}
    for row in numbered.where(f"_nrt_place <= {SAMPLES_SHOWN}").orderBy("_nrt_place").collect():
        sample = RowSample(row[CLASS], row.key, row.published, row.expected)
        found[row[WINDOW_END]] = (*found.get(row[WINDOW_END], ()), sample)
    return found


def bad_window(
    insert: Insert, end: int | None, kinds: Kinds, samples: tuple[RowSample, ...], history: WindowHistory | None
) -> BadWindow:
    start = insert.window.start(end) if insert.window is not None and end is not None else None
    missing, extra, different = (kinds.get(kind, 0) for kind in UNEXPLAINED)
    return BadWindow(start, end, missing, extra, different, samples, history)
