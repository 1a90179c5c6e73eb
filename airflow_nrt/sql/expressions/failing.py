"""Arithmetic that may have no result: an error of Spark, or, as the report wants, NULL that is counted.

The SQL of an error is Spark's own, at no cost. That of a NULL computes its operands once, under names, as the function
that counts needs them, too. A number that does not fit a DECIMAL is NULL in each report, as in Flink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.arithmetic_errors import NULL_FUNCTION
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of

_LONG = 2000
"""Longer SQL is computed once, under a name: that takes longer than to repeat it, but what is nested grows."""
_ARE_NULL: ContextVar[bool] = ContextVar("errors_are_null", default=False)


@contextmanager
def null_for_errors(are_null: bool) -> Iterator[None]:
    """Plans a statement of a report that wants NULL, or an error."""
    token = _ARE_NULL.set(are_null)
    try:
        yield
    finally:
        _ARE_NULL.reset(token)


def errors_are_null() -> bool:
    return _ARE_NULL.get()


@dataclass(frozen=True)
class Computed:
    """An expression that may have no result: its text in the report, and SQL of the place of its rows."""

    text: str
    place: str

    def noted_null(self, computation: str, kind: DataType, *operands: str) -> str:
        """SQL of a NULL that is counted for it, unless one of its operands is NULL, or the text of the computation.

        >>> print(Computed("n + 1", "'in a row'").noted_null("concat(n, ' + 1')", DataType("BIGINT"), "n"))
        IF(n IS NULL, NULL, CAST(nrt_null('n + 1', concat(n, ' + 1'), 'in a row') AS BIGINT))
        """
        noted = f"CAST({NULL_FUNCTION}({string_literal(self.text)}, {computation}, {self.place}) AS {kind.spark})"
        return f"IF({' OR '.join(f'{one} IS NULL' for one in operands)}, NULL, {noted})" if operands else noted


def tried(of: Computed, operator: str, left: str, right: str, result: DataType) -> str:
    """SQL of `left operator right`, NULL and counted if it has no result.

    >>> print(tried(Computed("n % 0", "p"), "%", "`n`", "0", DataType("INT")))
    transform(array(struct(`n` AS l, 0 AS r)), _nrt_q -> coalesce(TRY_CAST(try_mod(_nrt_q.l, _nrt_q.r) AS INT),
    IF(_nrt_q.l IS NULL OR _nrt_q.r IS NULL, NULL, CAST(nrt_null('n % 0', concat(CAST(_nrt_q.l AS STRING), ' % ',
    CAST(_nrt_q.r AS STRING)), p) AS INT))))[0]
    """
    left_value, right_value = "_nrt_q.l", "_nrt_q.r"
    value = f"TRY_CAST({_tried(operator, left_value, right_value, result)} AS {result.spark})"
    noted = of.noted_null(computation(left_value, operator, right_value), result, left_value, right_value)
    body = f"coalesce({value}, {noted})"
    return f"transform(array(struct({left} AS l, {right} AS r)), _nrt_q -> {body})[0]"


def tried_one(of: Computed, spark: str, operand: str, result: DataType) -> str:
    """The same of one operand, which is `{0}` in `spark`, SQL that is NULL where it has no result.

    >>> print(tried_one(Computed("CAST(d AS INT)", "p"), "TRY_CAST({0} AS INT)", "`d`", DataType("INT")))
    transform(array(`d`), _nrt_q -> coalesce(TRY_CAST(_nrt_q AS INT), IF(_nrt_q IS NULL, NULL,
    CAST(nrt_null('CAST(d AS INT)', CAST(_nrt_q AS STRING), p) AS INT))))[0]
    """
    noted = of.noted_null("CAST(_nrt_q AS STRING)", result, "_nrt_q")
    return f"transform(array({operand}), _nrt_q -> coalesce({spark.format('_nrt_q')}, {noted}))[0]"


def _tried(operator: str, left: str, right: str, result: DataType) -> str:
    if operator == "/" and result.is_integer:
        # The least BIGINT has no opposite.
        opposite = f"try_subtract(0L, CAST({left} AS BIGINT))"
        return f"IF({right} = -1, {opposite}, {left} div nullif({right}, 0))"
    names = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide", "%": "try_mod"}
    return f"{names[operator]}({left}, {right})"


Counted = Callable[[], Computed]
"""What a value is counted for; it is asked only for a value that may have to be."""
_COUNTED: ContextVar[Counted | None] = ContextVar("what a value is counted for", default=None)


@contextmanager
def counted_for(of: Counted | None) -> Iterator[None]:
    """Numbers that the SQL made in it does not fit into a DECIMAL are counted for this. They are not, if it is None."""
    token = _COUNTED.set(of)
    try:
        yield
    finally:
        _COUNTED.reset(token)


def fitted(value: str, target: DataType) -> str:
    """SQL of a number as a DECIMAL that it may not fit: it is NULL then, in each report, and counted.

    >>> print(fitted("`n`", DataType("DECIMAL", 5, 2)))
    TRY_CAST(`n` AS DECIMAL(5,2))
    >>> with counted_for(lambda: Computed("column total", "p")):
    ...     print(fitted("`n`", DataType("DECIMAL", 5, 2)))
    coalesce(TRY_CAST(`n` AS DECIMAL(5,2)), IF(`n` IS NULL, NULL, CAST(nrt_null('column total', CAST(`n` AS STRING), p)
    AS DECIMAL(5,2))))
    """
    of = _COUNTED.get()
    if of is None:
        return f"TRY_CAST({value} AS {target.spark})"
    if len(value) > _LONG:
        return tried_one(of(), f"TRY_CAST({{0}} AS {target.spark})", value, target)
    noted = of().noted_null(f"CAST({value} AS STRING)", target, value)
    return f"coalesce(TRY_CAST({value} AS {target.spark}), {noted})"


def counted_null(value: str, has_values: str, computation: str, kind: DataType) -> str:
    """SQL of a value, counted for what `counted_for` says if it is NULL although `has_values` is not.

    >>> with counted_for(lambda: Computed("SUM(p)", "p")):
    ...     print(counted_null("s", "l", "rough", DataType("DECIMAL", 38, 2)))
    coalesce(s, IF(l IS NULL, NULL, CAST(nrt_null('SUM(p)', CAST(rough AS STRING), p) AS DECIMAL(38,2))))
    """
    of = _COUNTED.get()
    if of is None:
        return value
    return f"coalesce({value}, {of().noted_null(f'CAST({computation} AS STRING)', kind, has_values)})"


def computation(left: str, operator: str, right: str) -> str:
    """SQL of a computation as a text: "concat(CAST(a AS STRING), ' + ', CAST(b AS STRING))"."""
    return f"concat(CAST({left} AS STRING), ' {operator} ', CAST({right} AS STRING))"


def tried_cast(node: ast.Cast, operand: Typed, place: str) -> Typed | None:
    """CAST of a number that may be beyond a type of whole numbers; None if it can't fail, or is to be an error."""
    kind, target, of = operand.type, node.type, Computed(text_of(node), place)
    fits = kind.is_integer and kind.digits <= target.digits if target.is_integer else True
    if not errors_are_null() or not node.fails or not kind.is_numeric or fits:
        return None
    target = target.with_nullable(kind.nullable)
    sql = tried_one(of, f"TRY_CAST({{0}} AS {target.spark})", operand.sql, target)
    return Typed(sql, target, columns=operand.columns)


def tried_negative(of: Computed, operand: Typed) -> str | None:
    """SQL of `- operand`, as `tried_cast`: the least whole number has no opposite."""
    if not errors_are_null() or not operand.type.is_integer or operand.constant is not None:
        return None
    return tried_one(of, _opposite(operand.type), operand.sql, operand.type)


def tried_call(node: ast.Call, arguments: Sequence[Typed], typed: Typed, place: str) -> str | None:
    """SQL of a function whose result, `typed`, may be beyond its type, as `tried_cast`.

    >>> from airflow_nrt.sql.errors import Place
    >>> n, at = Typed("`n`", DataType("INT")), Place(1, 1, 0)
    >>> with null_for_errors(True):
    ...     print(tried_call(ast.Call("ABS", (ast.Name(("n",), at),), at), [n], n, "p"))
    transform(array(`n`), _nrt_q -> coalesce(IF(_nrt_q < 0, try_subtract(CAST(0 AS INT), _nrt_q), _nrt_q),
    IF(_nrt_q IS NULL, NULL, CAST(nrt_null('ABS(n)', CAST(_nrt_q AS STRING), p) AS INT))))[0]
    """
    if not errors_are_null():
        return None
    kind, of = typed.type, Computed(text_of(node), place)
    if node.name == "MOD":
        return tried(of, "%", arguments[0].sql, arguments[1].sql, kind)
    if node.name == "ABS" and kind.is_integer:
        return tried_one(of, f"IF({{0}} < 0, {_opposite(kind)}, {{0}})", arguments[0].sql, kind)
    if node.name == "ROUND" and kind.is_integer and len(arguments) == 2:
        wide = f"round(CAST({{0}} AS DECIMAL({kind.digits},0)), {arguments[1].constant})"
        return tried_one(of, f"TRY_CAST({wide} AS {kind.spark})", arguments[0].sql, kind)
    return None


def _opposite(kind: DataType) -> str:
    """SQL of the opposite of `{0}`: "try_subtract(CAST(0 AS INT), {0})"."""
    return f"try_subtract(CAST(0 AS {kind.spark}), {{0}})"
