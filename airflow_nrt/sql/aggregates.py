"""Aggregate calls: which there are, what they take, and Flink's result types."""

from __future__ import annotations

from airflow_nrt.report.types import BIGINT, DataType, decimal
from airflow_nrt.sql import ast
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.typed import Typed

_VARIANCES = ("STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP")
_SYNONYMS = {"STDDEV": "STDDEV_SAMP", "VARIANCE": "VAR_SAMP"}
_NUMERIC = ("SUM", "AVG", *_VARIANCES)

AGGREGATES = ("COUNT", "SUM", "MIN", "MAX", "AVG", *_VARIANCES, *_SYNONYMS, "FIRST_VALUE", "LAST_VALUE", "LISTAGG")
AGGREGATES_LATER = (
    "COLLECT", "ARRAY_AGG", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "APPROX_COUNT_DISTINCT", "PERCENTILE", "SINGLE_VALUE",
)  # fmt: skip


def is_aggregate(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.over is None and node.name in (*AGGREGATES, *AGGREGATES_LATER)


def canonical_name(name: str) -> str:
    """The function that a name means: STDDEV is STDDEV_SAMP."""
    return _SYNONYMS.get(name, name)


def result_type(call: ast.Call, argument: Typed | None) -> DataType:
    """Flink's result type of an aggregate. Raises SqlError if it does not take this argument."""
    name = canonical_name(call.name)
    if name == "COUNT":
        return BIGINT.with_nullable(False)
    if argument is None:
        raise SqlError(f"{name} takes one argument", call.at)
    kind = argument.type.with_nullable(True)
    if name in _NUMERIC and not kind.is_numeric:
        raise SqlError(f"{name} wants a number, here is {kind.flink}", call.at)
    if name == "SUM":
        return decimal(38, kind.scale or 0) if kind.name == "DECIMAL" else kind
    if name == "AVG":
        return decimal(38, max(6, kind.scale or 0)) if kind.name == "DECIMAL" else kind
    if name in _VARIANCES:
        return decimal(38, 6) if kind.name == "DECIMAL" else kind
    if name == "LISTAGG":
        if not kind.is_string:
            raise SqlError(f"LISTAGG wants a string, here is {kind.flink}: CAST it to STRING", call.at)
        return DataType("STRING")
    if kind.name in ("MAP", "ROW", "ARRAY", "NULL"):
        raise SqlError(f"{name} can't be taken of {kind.flink}", call.at)
    return kind
