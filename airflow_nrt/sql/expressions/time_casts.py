"""CAST and TRY_CAST to a TIME and from one. Its text is in `basics/times_of_day.py`."""

from __future__ import annotations

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.times_of_day import as_timestamp, of_text, of_timestamp, to_digits
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.local_time import as_instant, as_local
from airflow_nrt.sql.expressions.typed import Typed


def cast_time(operand: Typed, target: DataType, fails: bool, at: Place) -> str:
    """SQL of a cast from or to TIME, but not to a string. Raises SqlError if Flink has no such cast.

    A TIME as a TIMESTAMP is on the first day of 1970.
    """
    kind = operand.type
    if target.name == "TIME":
        digits = target.precision or 0
        if kind.name == "TIME":
            return to_digits(operand.sql, digits) if digits < (kind.precision or 0) else operand.sql
        if kind.is_timestamp:
            return to_digits(of_timestamp(as_local(operand).sql), digits)
        if kind.is_string:
            return to_digits(_read(operand.sql, target, fails), digits)
    elif target.is_timestamp:
        shown = Typed(as_timestamp(operand.sql), DataType("TIMESTAMP", precision=target.precision))
        return shown.sql if target.name == "TIMESTAMP" else as_instant(shown).sql
    raise SqlError(f"{kind.flink} can't be cast to {target.flink}: TIME is cast to and from strings and timestamps", at)


def _read(text: str, target: DataType, fails: bool) -> str:
    """SQL of a text as TIME. The text is computed once.

    >>> print(_read("s", DataType("TIME"), False).replace(of_text("_nrt_x"), "…"))
    transform(array(s), _nrt_x -> …)[0]
    """
    value = of_text("_nrt_x")
    if fails:
        before, after = f"{STOP_MARK}'", f"' can't be cast to {target.flink}"
        wrong = f"raise_error(concat({string_literal(before)}, _nrt_x, {string_literal(after)}))"
        value = f"IF(_nrt_x IS NULL, NULL, coalesce({value}, CAST({wrong} AS INT)))"
    return f"transform(array({text}), _nrt_x -> {value})[0]"
