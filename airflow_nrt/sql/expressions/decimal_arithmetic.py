"""Arithmetic of DECIMAL: a result that does not fit its type is NULL, as in Flink; a division by zero is an error.

A NULL is counted for the outermost expression alone, so that the way to a result has no more code than without counts:
with twice as much Java gives up to compile it.
"""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.basics.types import MAX_PRECISION, DataType
from airflow_nrt.sql.expressions.failing import Computed, computation

_LONG = 300
_MOST_OPERANDS = 50
"""Of a sum of more, each is repeated once alone, and Java's method has no branch for each of them."""
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


class CountedDecimals:
    """Computes as `computed`, of expressions in expressions, and counts those that are NULL though no operand is."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[str, tuple[str, ...]]] = {}

    def computed(self, of: Computed, left: str, operator: str, right: str, result: DataType) -> str:
        """SQL of two DECIMALs, which may be such expressions themselves.

        >>> wide, made = DataType("DECIMAL", 38, 2), CountedDecimals()
        >>> print(inner := made.computed(Computed("x + y", "p"), "a", "+", "b", wide))
        coalesce(TRY_CAST(try_add(a, b) AS DECIMAL(38,2)), IF(a IS NULL OR b IS NULL, NULL, CAST(nrt_null('x + y',
        concat(CAST(a AS STRING), ' + ', CAST(b AS STRING)), p) AS DECIMAL(38,2))))
        >>> print(made.computed(Computed("x + y + x", "p"), inner, "+", "a", wide))
        coalesce(TRY_CAST(try_add(TRY_CAST(try_add(a, b) AS DECIMAL(38,2)), a) AS DECIMAL(38,2)), IF(a IS NULL OR
        b IS NULL, NULL, CAST(nrt_null('x + y + x', concat_ws(', ', CAST(a AS STRING), CAST(b AS STRING)), p)
        AS DECIMAL(38,2))))
        """
        (plain_left, of_left), (plain_right, of_right) = (
            self._made.get(side, (side, (side,))) for side in (left, right)
        )
        plain, operands = computed(plain_left, operator, plain_right, result), tuple(dict.fromkeys(of_left + of_right))
        shown = computation(left, operator, right)
        if not {left, right} <= {*operands}:
            shown = f"concat_ws(', ', {', '.join(f'CAST({one} AS STRING)' for one in operands)})"
        if len(operands) > _MOST_OPERANDS:
            noted = of.noted_null(_all_or_null(operands), result)
        else:
            noted = of.noted_null(shown, result, *operands)
        sql = f"coalesce({plain}, {noted})"
        self._made[sql] = plain, operands
        return sql


def _all_or_null(operands: Iterable[str]) -> str:
    """SQL of a text of these values, NULL if one of them is: then nothing is counted (`NulledValues.java`).

    >>> print(_all_or_null(["a", "b"]))
    concat(CAST(a AS STRING), ', ', CAST(b AS STRING))
    """
    texts = ", ', ', ".join(f"CAST({one} AS STRING)" for one in operands)
    return f"concat({texts})"


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
