"""The beginnings of expressions: `col`, `lit` and functions before their arguments, as in PyFlink."""

from __future__ import annotations

from functools import reduce
from typing import Any

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import checked, checked_name, checked_type, wrong
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import Expression, FrameEnd, TimeIntervalUnit, call_of, keyword
from airflow_nrt.table.expressions.literals import node_of


def col(name: str) -> Expression:
    """A column by its name, or the alias of a window; `col("*")` is all columns."""
    checked_name("col takes the name of a column, as in col('a')", name)
    return Expression(ast.Star(None, here()) if name == "*" else ast.Name((name,), here()))


def lit(value: Any, data_type: DataType | None = None) -> Expression:
    """A constant, of the given type, or of its own."""
    literal = Expression(node_of(value))
    return literal if data_type is None else literal.cast(data_type)


def null_of(data_type: DataType) -> Expression:
    """NULL of a type."""
    return lit(None, checked_type(data_type))


def row_interval(rows: int) -> Expression:
    """A number of rows, for windows."""
    if checked("row_interval takes a number of rows", rows, int) < 0:
        raise wrong("row_interval takes a number of rows", rows)
    return lit(rows).rows


UNBOUNDED_ROW = FrameEnd("UNBOUNDED", "ROW")
UNBOUNDED_RANGE = FrameEnd("UNBOUNDED", "RANGE")
CURRENT_ROW = FrameEnd("CURRENT", "ROW")
CURRENT_RANGE = FrameEnd("CURRENT", "RANGE")


def and_(first: Any, second: Any, *others: Any) -> Expression:
    return reduce(lambda left, right: left & right, (second, *others), Expression(node_of(first)))


def or_(first: Any, second: Any, *others: Any) -> Expression:
    return reduce(lambda left, right: left | right, (second, *others), Expression(node_of(first)))


def not_(condition: Expression) -> Expression:
    return ~Expression(node_of(condition))


def negative(value: Expression) -> Expression:
    return -Expression(node_of(value))


def if_then_else(condition: Expression, if_true: Any, if_false: Any) -> Expression:
    """The first value where the condition is true, else the second."""
    return Expression(node_of(condition)).then(if_true, if_false)


def coalesce(*values: Any) -> Expression:
    """The first value that is not NULL."""
    return call_of("COALESCE", *values)


def greatest(*values: Any) -> Expression:
    return call_of("GREATEST", *values)


def least(*values: Any) -> Expression:
    return call_of("LEAST", *values)


def concat(first: Any, *others: Any) -> Expression:
    return call_of("CONCAT", first, *others)


def concat_ws(separator: Any, first: Any, *others: Any) -> Expression:
    return call_of("CONCAT_WS", separator, first, *others)


def array(first: Any, *others: Any) -> Expression:
    return call_of("ARRAY[ ]", first, *others)


def map_(key: Any, value: Any, *others: Any) -> Expression:
    return call_of("MAP[ ]", key, value, *others)


def to_date(text: Any, pattern: Any = None) -> Expression:
    return call_of("TO_DATE", text, *([pattern] if pattern is not None else []))


def to_timestamp(text: Any, pattern: Any = None) -> Expression:
    return call_of("TO_TIMESTAMP", text, *([pattern] if pattern is not None else []))


def to_timestamp_ltz(value: Any, precision: Any = None) -> Expression:
    return call_of("TO_TIMESTAMP_LTZ", value, *([precision] if precision is not None else []))


def date_format(time: Any, pattern: Any) -> Expression:
    return call_of("DATE_FORMAT", time, pattern)


def timestamp_diff(unit: TimeIntervalUnit, start: Any, end: Any) -> Expression:
    return Expression(ast.Call("TIMESTAMPDIFF", (keyword(unit), node_of(start), node_of(end)), here()))


def convert_tz(time: Any, zone_from: Any, zone_to: Any) -> Expression:
    return call_of("CONVERT_TZ", time, zone_from, zone_to)


def from_unixtime(seconds: Any, pattern: Any = None) -> Expression:
    return call_of("FROM_UNIXTIME", seconds, *([pattern] if pattern is not None else []))


def unix_timestamp(text: Any = None, pattern: Any = None) -> Expression:
    return call_of("UNIX_TIMESTAMP", *(one for one in (text, pattern) if one is not None))


def current_timestamp() -> Expression:
    """The time of the batch that absorbs a row, an instant."""
    return call_of("CURRENT_TIMESTAMP")


def local_timestamp() -> Expression:
    """The same on the clock of the session's zone."""
    return call_of("LOCALTIMESTAMP")


def current_date() -> Expression:
    return call_of("CURRENT_DATE")


def current_time() -> Expression:
    """The time of the batch that absorbs a row, on the clock of the session's zone."""
    return call_of("CURRENT_TIME")


def local_time() -> Expression:
    """The same as `current_time`."""
    return call_of("LOCALTIME")


def current_watermark(time: Any) -> Expression:
    return call_of("CURRENT_WATERMARK", time)


def pi() -> Expression:
    return call_of("PI")


def e() -> Expression:
    return call_of("E")


def log(value: Any, base: Any = None) -> Expression:
    """The natural logarithm, or the logarithm to a base."""
    return call_of("LN", value) if base is None else call_of("LOG", base, value)


def row(first: Any, *others: Any) -> Expression:
    return call_of("ROW", first, *others)


def json_string(value: Any) -> Expression:
    return call_of("JSON_STRING", value)


def atan2(y: Any, x: Any) -> Expression:
    return call_of("ATAN2", y, x)


def uuid() -> Expression:
    """A text that differs for each row and each call, and is the same whenever a row is read again."""
    return call_of("UUID")


_SPELLED_WITH_WORDS = {
    "TRIM", "EXTRACT", "JSON_VALUE", "JSON_QUERY", "JSON_EXISTS", "JSON_OBJECT", "JSON_ARRAY", "JSON_OBJECTAGG",
    "JSON_ARRAYAGG",
}  # fmt: skip


def call(function: Any, *arguments: Any) -> Expression:
    """A call of a function by name: one of SQL, or one that `create_temporary_function` has declared."""
    from airflow_nrt.table.expressions.function_calls import CallableFunction

    if isinstance(function, CallableFunction):
        return function(*arguments)
    name = checked_name("call takes the name of a function of SQL, or a function declared by @udf", function).upper()
    if name in _SPELLED_WITH_WORDS:
        raise SqlError(f'{name} is spelled with words between its arguments: call_sql("{name}(…)")', here())
    return call_of(name, *arguments)


def call_sql(text: str) -> Expression:
    """An expression written in SQL. Raises SqlError for `${KEY}`: an expression belongs to no report yet."""
    from airflow_nrt.sql.filling.placeholders import placeholders
    from airflow_nrt.sql.parse.statements import parse_expression

    asked = placeholders(checked("call_sql takes an expression of SQL as text", text, str))
    if asked:
        key = min(asked)
        raise SqlError(f"call_sql fills no ${{{key}}}: use t_env.get_config().get({key!r}, default)", here())
    return Expression(parse_expression(text))
