"""Aggregate calls: which there are, and Flink's result types."""

from __future__ import annotations

from airflow_nrt.basics.types import BIGINT, DOUBLE, STRING, DataType, decimal, multiset
from airflow_nrt.model.operators import VARIANCES
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.known_functions import known_aggregate
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children

_SYNONYMS = {"STDDEV": "STDDEV_SAMP", "VARIANCE": "VAR_SAMP", "APPROX_COUNT_DISTINCT": "COUNT"}
_NUMERIC = ("SUM", "AVG", *VARIANCES)
_OF_ROWS = ("ARRAY_AGG", "COLLECT")
"""These take ROW and ARRAY too."""
_JSON = ("JSON_ARRAYAGG", "JSON_OBJECTAGG")

AGGREGATES = (
    "COUNT", "SUM", "MIN", "MAX", "AVG", *VARIANCES, *_SYNONYMS, "FIRST_VALUE", "LAST_VALUE", "SINGLE_VALUE",
    "LISTAGG", *_OF_ROWS, *_JSON, "PERCENTILE",
)  # fmt: skip


def is_aggregate(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.over is None and has_aggregate(node.name)


def contains_aggregate(node: ast.Select) -> bool:
    """Whether a SELECT without GROUP BY is an aggregation nevertheless: HAVING alone makes it one, of all rows."""
    return node.having is not None or any(_has_aggregate(item.expression) for item in node.items)


def _has_aggregate(node: ast.Expression) -> bool:
    return is_aggregate(node) or any(_has_aggregate(child) for child in children(node))


def has_aggregate(name: str) -> bool:
    """Whether an aggregate has this name, built in or in Python."""
    return name in AGGREGATES or known_aggregate(name) is not None


def canonical_name(name: str) -> str:
    """The function that a name means: STDDEV is STDDEV_SAMP, and an approximate count may be exact."""
    return _SYNONYMS.get(name, name)


def elements(node: ast.Expression) -> tuple[ast.Expression, ...] | None:
    """What stands in ARRAY[…], None for anything else."""
    return node.arguments if isinstance(node, ast.Call) and node.name == "ARRAY[ ]" else None


def is_distinct(call: ast.Call) -> bool:
    """Whether repeated values make a difference that the call does not want.

    The least of distinct values is the least of all; the first or last distinct value is the first or last.
    """
    repeats_count = call.name not in ("MIN", "MAX", "FIRST_VALUE", "LAST_VALUE")
    return call.name == "APPROX_COUNT_DISTINCT" or (call.distinct and repeats_count)


def result_type(call: ast.Call, operand: Typed | None) -> DataType:
    """Flink's result type of an aggregate. Raises SqlError if it does not take this operand."""
    name = canonical_name(call.name)
    python = known_aggregate(name)
    kind = operand.type.with_nullable(True) if operand is not None else None
    if is_distinct(call) and kind is not None:
        _check_distinct(kind, call)
    if python is not None:
        return python.value_type
    if name == "COUNT":
        return BIGINT.with_nullable(False)
    if kind is None:
        raise SqlError(f"{name} takes one argument", call.at)
    if name in _JSON:
        return STRING.with_nullable(False)
    if name == "PERCENTILE":
        single = elements(call.arguments[1]) is None
        return DOUBLE if single else DataType("ARRAY", children=(("element", DOUBLE),))
    if name in _NUMERIC and not kind.is_numeric:
        raise SqlError(f"{name} wants a number, here is {kind.flink}", call.at)
    if name == "SUM":
        return decimal(38, kind.scale or 0) if kind.name == "DECIMAL" else kind
    if name == "AVG":
        return decimal(38, max(6, kind.scale or 0)) if kind.name == "DECIMAL" else kind
    if name in VARIANCES:
        return decimal(38, 6) if kind.name == "DECIMAL" else kind
    if name == "LISTAGG":
        if not kind.is_string:
            raise SqlError(f"LISTAGG wants a string, here is {kind.flink}: CAST it to STRING", call.at)
        return STRING
    if kind.holds("MAP", "NULL") or (kind.name in ("ROW", "ARRAY") and name not in _OF_ROWS):
        raise SqlError(f"{name} can't be taken of {kind.flink}", call.at)
    if name == "ARRAY_AGG":
        return DataType("ARRAY", children=(("element", kind),))
    if name == "COLLECT":
        return multiset(kind).with_nullable(False)
    return kind


def _check_distinct(kind: DataType, call: ast.Call) -> None:
    if kind.holds("MAP"):
        raise SqlError(f"values of {kind.flink} can't be compared, as DISTINCT asks for", call.at)
    if kind.holds("NULL"):
        raise SqlError(f"{call.name} can't be taken of NULL: CAST it to a type", call.at)
