"""Aggregates: their names, and Flink's result types."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.types import BIGINT, DataType
from airflow_nrt.model.aggregates import AGGREGATES as BUILT_IN
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.known_functions import known_aggregate
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children

_SYNONYMS = {"STDDEV": "STDDEV_SAMP", "VARIANCE": "VAR_SAMP", "APPROX_COUNT_DISTINCT": "COUNT"}
AGGREGATES = (*BUILT_IN, *_SYNONYMS)
"""The names of the built-in aggregates."""


def is_aggregate(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.over is None and has_aggregate(node.name)


def contains_aggregate(node: ast.Select) -> bool:
    """Whether a SELECT without GROUP BY aggregates all rows. HAVING alone makes it an aggregation."""
    return node.having is not None or any(_has_aggregate(item.expression) for item in node.items)


def _has_aggregate(node: ast.Expression) -> bool:
    return is_aggregate(node) or any(_has_aggregate(child) for child in children(node))


def has_aggregate(name: str) -> bool:
    """Whether an aggregate has this name, built in or in Python."""
    return name in BUILT_IN or name in _SYNONYMS or known_aggregate(name) is not None


def canonical_name(name: str) -> str:
    """The aggregate that a name means: STDDEV is STDDEV_SAMP. An approximate count is computed exactly."""
    return _SYNONYMS.get(name, name)


def elements(node: ast.Expression) -> tuple[ast.Expression, ...] | None:
    """The elements of ARRAY[…], None for another expression."""
    return node.arguments if isinstance(node, ast.Call) and node.name == "ARRAY[ ]" else None


def is_distinct(call: ast.Call) -> bool:
    """Whether the call counts a repeated value once. False if repeats make no difference to the aggregate."""
    built_in = BUILT_IN.get(canonical_name(call.name))
    counts_repeats = built_in is None or built_in.counts_repeats
    return call.name == "APPROX_COUNT_DISTINCT" or (call.distinct and counts_repeats)


def result_type(call: ast.Call, operand: Typed | None) -> DataType:
    """Flink's result type of an aggregate. Raises SqlError if it does not take this operand."""
    name = canonical_name(call.name)
    python = known_aggregate(name)
    kind = operand.type.with_nullable(True) if operand is not None else None
    if is_distinct(call) and kind is not None:
        _check_distinct(kind, call)
    if python is not None:
        return python.value_type
    if kind is None and name != "COUNT":
        raise SqlError(f"{name} takes one argument", call.at)
    try:
        result = BUILT_IN[name].result(kind or BIGINT)
    except InputError as wrong:
        raise SqlError(f"{name} {wrong}", call.at) from None
    several = name == "PERCENTILE" and elements(call.arguments[1]) is not None
    return DataType("ARRAY", children=(("element", result),)) if several else result


def _check_distinct(kind: DataType, call: ast.Call) -> None:
    if kind.holds("MAP"):
        raise SqlError(f"values of {kind.flink} can't be compared, as DISTINCT asks for", call.at)
    if kind.holds("NULL"):
        raise SqlError(f"{call.name} can't be taken of NULL: CAST it to a type", call.at)
