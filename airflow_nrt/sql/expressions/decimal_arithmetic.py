"""Arithmetic of DECIMAL: a result that does not fit its type is NULL, as in Flink; a division by zero is an error."""

from __future__ import annotations

from airflow_nrt.basics.types import MAX_PRECISION, DataType

_LONG = 300
_TRIED = {"+": "try_add", "-": "try_subtract", "*": "try_multiply"}


def may_be_too_large(result: DataType) -> bool:
    """Whether a result may not fit its type: it has as many digits as there are, and would need more."""
    return result.name == "DECIMAL" and result.precision == MAX_PRECISION


def computed(left: str, operator: str, right: str, result: DataType) -> str:
    """SQL of two DECIMALs that are computed with, where the result may be too large.

    >>> print(computed("a", "+", "b", DataType("DECIMAL", 38, 2)))
    TRY_CAST(try_add(a, b) AS DECIMAL(38,2))
    """
    if operator == "%":
        return f"CAST(({left} % {right}) AS {result.spark})"
    if operator == "/":
        return f"TRY_CAST({_quotient(left, right)} AS {result.spark})"
    return f"TRY_CAST({_TRIED[operator]}({left}, {right}) AS {result.spark})"


def _quotient(left: str, right: str) -> str:
    """SQL of a quotient, NULL if it is too large.

    >>> print(_quotient("a", "b"))
    IF(b = 0, a / b, try_divide(a, b))
    """
    if len(left) + len(right) > _LONG:
        # Each side once, because expressions are nested.
        sides = f"array(struct({left} AS l, {right} AS r))"
        return f"transform({sides}, _nrt_q -> {_quotient('_nrt_q.l', '_nrt_q.r')})[0]"
    return f"IF({right} = 0, {left} / {right}, try_divide({left}, {right}))"
