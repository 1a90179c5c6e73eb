"""The clock: functions of the batch that a row was absorbed in, one value for all of its rows.

The log has the clock and the watermark of every batch, so that a batch that is computed again gets the same values.
Where no stream has read a row there is no such clock, and asking for it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airflow_nrt.basics.times_of_day import of_timestamp
from airflow_nrt.basics.types import BIGINT, DATE, TIMESTAMP3, DataType
from airflow_nrt.model.internal_columns import ABSORBED, CLOCK_SQL
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import Function, check_count
from airflow_nrt.sql.expressions.local_time import as_local
from airflow_nrt.sql.expressions.typed import TimeAttribute, Typed
from airflow_nrt.sql.parse import ast

PROCTIME_SQL = f"timestamp_millis({CLOCK_SQL})"
"""Processing time in Spark SQL."""

_INSTANT = DataType("TIMESTAMP_LTZ", precision=3, nullable=False)


def _of_clock(derived: Callable[[Typed], Typed]) -> Function:
    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 0, 0)
        return derived(Typed(PROCTIME_SQL, _INSTANT, time_attribute=TimeAttribute.PROCTIME))

    return function


def _date(now: Typed) -> Typed:
    """Gives "CAST(CAST(timestamp_millis(…) AS TIMESTAMP_NTZ) AS DATE)"."""
    return Typed(f"CAST({as_local(now).sql} AS DATE)", DATE.with_nullable(False))


def _time(now: Typed) -> Typed:
    return Typed(of_timestamp(as_local(now).sql), DataType("TIME", precision=0, nullable=False))


def _seconds(now: Typed) -> Typed:
    """Gives "unix_seconds(timestamp_millis(…))"."""
    return Typed(f"unix_seconds({now.sql})", BIGINT.with_nullable(False))


def _current_watermark(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """The watermark of the row's source before its batch: "timestamp_millis(_nrt_absorbed.watermark)".

    It is NULL if there was none yet.
    """
    check_count(arguments, at, name, 1, 1)
    kind = arguments[0].type
    if not kind.is_timestamp:
        raise SqlError(f"{name} wants a rowtime attribute, not {kind.flink}", at)
    watermark = f"timestamp_millis({ABSORBED}.watermark)"
    if kind.name == "TIMESTAMP":
        return Typed(f"CAST({watermark} AS TIMESTAMP_NTZ)", TIMESTAMP3)
    return Typed(watermark, _INSTANT.with_nullable(True))


CLOCK_FUNCTIONS: dict[str, Function] = {
    **dict.fromkeys(
        ("PROCTIME", "SYSTEM_PROCTIME", "CURRENT_TIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP"), _of_clock(lambda now: now)
    ),
    "LOCALTIMESTAMP": _of_clock(as_local),
    "CURRENT_DATE": _of_clock(_date),
    **dict.fromkeys(("LOCALTIME", "CURRENT_TIME"), _of_clock(_time)),
    "CURRENT_WATERMARK": _current_watermark,
}
"""They need rows of a source. Rows above a window come from many batches."""
_WITHOUT_ARGUMENTS: dict[str, Function] = {"UNIX_TIMESTAMP": _of_clock(_seconds)}


def of_clock(call: ast.Call) -> Function | None:
    """The function of the clock that a call means. None if it is another one."""
    without = None if call.arguments else _WITHOUT_ARGUMENTS.get(call.name)
    return CLOCK_FUNCTIONS.get(call.name) or without


WATERMARKS_OF_SOURCES = ("SOURCE_WATERMARK", "SYSTEM_WATERMARK")
OF_SOURCES = {
    **{name: f"is a whole watermark: write WATERMARK FOR … AS {name}()" for name in WATERMARKS_OF_SOURCES},
    "SYSTEM_ROWTIME": "is a whole column of CREATE TABLE: written AS SYSTEM_ROWTIME()",
}
"""Functions whose value a source has, and where they belong."""
