"""Aggregates as Spark's OVER, with Flink's types."""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.basics.types import BIGINT, DataType
from airflow_nrt.model.wide_sums import exact_total, high_part, is_wide, low_part, rough_total
from airflow_nrt.sql.errors import NotThereYet
from airflow_nrt.sql.expressions.aggregate_arguments import Compile, read_arguments
from airflow_nrt.sql.expressions.aggregates import canonical_name, result_type
from airflow_nrt.sql.expressions.failing import counted_null, errors_are_null
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast


def aggregate_over(node: ast.Call, compile: Compile, window: str) -> Typed:
    """The aggregate over a window of Spark, "(PARTITION BY _nrt_end …)". Raises SqlError, and NotThereYet.

    A DECIMAL that does not fit is counted for what `counted_for` says.
    """
    name = canonical_name(node.name)
    made = _MADE.get(name)
    if made is None:
        raise NotThereYet(f"{node.name} … OVER in a window", node.at, f"there are {', '.join(_MADE)}")
    operand = read_arguments(node, compile).operand
    kind = result_type(node, operand)
    if operand is None:
        return Typed(f"count(*) OVER {window}", BIGINT.with_nullable(False))
    return Typed(made(operand, kind, window), kind, columns=operand.columns)


def _count(operand: Typed, result: DataType, window: str) -> str:
    return f"count({operand.sql}) OVER {window}"


def _sum(operand: Typed, result: DataType, window: str) -> str:
    """SQL of SUM. A sum of whole numbers that does not fit is an error, one of DECIMALs is NULL.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_sum(Typed("`n`", DataType("INT")), DataType("INT"), "(PARTITION BY _nrt_end)"))
    CAST(sum(CAST(`n` AS DECIMAL(38,0))) OVER (PARTITION BY _nrt_end) AS INT)
    """
    kind = operand.type
    if kind.name == "DECIMAL":
        return _noted(_amount(operand, window), operand, result, window)
    cast = "TRY_CAST" if kind.is_integer and errors_are_null() else "CAST"
    return f"{cast}({_whole(operand, window)} AS {result.spark})"


def _average(operand: Typed, result: DataType, window: str) -> str:
    """SQL of AVG: of an integer an integer, truncated.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_average(Typed("`n`", DataType("INT")), DataType("INT"), "(PARTITION BY _nrt_end)"))
    CAST((sum(CAST(`n` AS DECIMAL(38,0))) OVER (PARTITION BY _nrt_end) div nullif(count(`n`) OVER (PARTITION BY
    _nrt_end), 0)) AS INT)
    """
    kind, number = operand.type, f"nullif({_count(operand, BIGINT, window)}, 0)"
    if kind.is_integer:
        return f"CAST(({_whole(operand, window)} div {number}) AS {result.spark})"
    if kind.is_approximate:
        return f"CAST(({_whole(operand, window)} / {number}) AS {result.spark})"
    mean = f"TRY_CAST(try_divide({_amount(operand, window)}, CAST({number} AS DECIMAL(20,0))) AS {result.spark})"
    return _noted(mean, operand, result, window)


def _amount(operand: Typed, window: str) -> str:
    """SQL of a sum of DECIMALs.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_amount(Typed("`p`", DataType("DECIMAL", 10, 2)), "(PARTITION BY _nrt_end)"))
    sum(CAST(`p` AS DECIMAL(38,2))) OVER (PARTITION BY _nrt_end)
    """
    kind, scale = operand.type, operand.type.scale or 0
    if not is_wide(kind):
        return f"sum(CAST({operand.sql} AS DECIMAL(38,{scale}))) OVER {window}"
    return exact_total(*_parts(operand, window), scale)


def _parts(operand: Typed, window: str) -> tuple[str, str]:
    scale = operand.type.scale or 0
    return (
        f"sum(CAST({low_part(operand.sql, scale)} AS DECIMAL(38,{scale}))) OVER {window}",
        f"sum({high_part(operand.sql, scale)}) OVER {window}",
    )


def _noted(exact: str, operand: Typed, result: DataType, window: str) -> str:
    """SQL of a result that is counted where it is too large: then it is NULL, and one of its values is not."""
    if not is_wide(operand.type):
        return exact
    low, high = _parts(operand, window)
    return counted_null(exact, low, rough_total(low, high, operand.type.scale or 0), result)


def _whole(operand: Typed, window: str) -> str:
    wide = "DOUBLE" if operand.type.is_approximate else "DECIMAL(38,0)"
    return f"sum(CAST({operand.sql} AS {wide})) OVER {window}"


def _extreme(name: str) -> Callable[[Typed, DataType, str], str]:
    """SQL of MIN and MAX.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_extreme("min")(Typed("`n`", DataType("INT")), DataType("INT"), "(PARTITION BY _nrt_end)"))
    min(`n`) OVER (PARTITION BY _nrt_end)
    """
    return lambda operand, result, window: f"{name}({operand.sql}) OVER {window}"


_MADE = {"COUNT": _count, "SUM": _sum, "AVG": _average, "MIN": _extreme("min"), "MAX": _extreme("max")}
