"""`window_start`, `window_end` and `window_time` as Spark SQL, from the end of the window in `_nrt_end`."""

from __future__ import annotations

from airflow_nrt.basics.types import DataType
from airflow_nrt.model.internal_columns import WINDOW_END, WINDOW_START
from airflow_nrt.model.windows import Sql, Window
from airflow_nrt.model.zones import instant_sql

ROLES = {"window_start": "start", "window_end": "end", "window_time": "time"}


def bounds(window: Window) -> tuple[str, ...]:
    """The hidden columns that identify a window of this kind."""
    return (WINDOW_END, WINDOW_START) if window.bounded_by_rows else (WINDOW_END,)


def timestamp_of(ms: Sql, kind: DataType | None = None) -> str:
    """Milliseconds as a TIMESTAMP, or as a TIMESTAMP_LTZ if that is the kind.

    >>> print(timestamp_of("window_end", DataType("TIMESTAMP", 3)))
    CAST(timestamp_millis(window_end) AS TIMESTAMP_NTZ)
    """
    instant = f"timestamp_millis({ms})"
    return instant if kind is not None and kind.name == "TIMESTAMP_LTZ" else f"CAST({instant} AS TIMESTAMP_NTZ)"


def window_column(window: Window, role: str, rowtime_type: DataType) -> str:
    """SQL of one window column. `window_time` has the type of the rowtime; an instant is the first with its time."""
    end = Sql(WINDOW_END)
    if role == "start":
        return timestamp_of(Sql(WINDOW_START) if window.bounded_by_rows else window.start(end))
    if role == "end":
        return timestamp_of(end)
    return timestamp_of(instant_sql(end - 1, window.zone), rowtime_type)
