"""WATERMARK FOR: the rowtime, and the watermark of each row (FLIP-66)."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.types import DataType
from airflow_nrt.model.connectors.connector import Connector
from airflow_nrt.model.internal_columns import ROWTIME
from airflow_nrt.model.tables import Column, Watermark
from airflow_nrt.model.value_places import OF_READER
from airflow_nrt.sql.ddl.metadata import is_rowtime_of_source
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.functions.clock import WATERMARKS_OF_SOURCES
from airflow_nrt.sql.expressions.intervals import interval_ms
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.parse import ast, parsed

ROWTIME_PRECISION = 3


def declare_watermark(
    definition: parsed.WatermarkDefinition, columns: Sequence[Column], connector: Connector | None
) -> Watermark:
    """The watermark of a table. Raises SqlError if the rowtime is no column, or if it or the watermark is no time."""
    scope = Scope([ScopeColumn(column.name, column.type) for column in columns])
    rowtime = scope.time_column(definition.column)
    if any(column.name == rowtime.name and column.proctime for column in columns):
        raise SqlError("A watermark can not be defined for a processing-time attribute column.", definition.column.at)
    _check_rowtime(rowtime.name, rowtime.type, definition.column.at)
    if _is_of_source(definition.expression):
        return _of_source(definition, next(one for one in columns if one.name == rowtime.name), connector)
    proposal = Compiler(scope, place=lambda: OF_READER).compile(definition.expression)
    if proposal.type.name == "NULL":
        raise SqlError(
            "a watermark that is always NULL never advances: write one such as "
            f"{'.'.join(definition.column.parts)} - INTERVAL '5' SECOND",
            definition.expression.at,
        )
    delay = _constant_delay(definition)
    if delay is not None:
        expression = _lagging(delay)
    elif proposal.type.is_integer:
        expression = f"CAST({proposal.sql} AS BIGINT)"
    elif proposal.type.name == rowtime.type.name:
        expression = _milliseconds(proposal.sql, proposal.type)
    else:
        raise SqlError(
            f"the watermark must be a {rowtime.type.name} like its column {rowtime.name!r}, or BIGINT milliseconds; "
            f"{definition.text!r} is {proposal.type.flink}",
            definition.expression.at,
        )
    column, *path = definition.column.parts
    reads = tuple(sorted({*proposal.columns, column}))
    return Watermark(column, expression, definition.text, reads, tuple(path), delay)


def _lagging(delay: int) -> str:
    """SQL of a watermark that lags the rowtime by so many milliseconds: "(_nrt_ts - 5000L)"."""
    return f"({ROWTIME} - {delay}L)"


def _is_of_source(node: ast.Expression) -> bool:
    """`SOURCE_WATERMARK()`, in FLIP-66 `SYSTEM_WATERMARK()`."""
    return isinstance(node, ast.Call) and node.name in WATERMARKS_OF_SOURCES and not node.arguments


def _of_source(definition: parsed.WatermarkDefinition, column: Column, connector: Connector | None) -> Watermark:
    """The watermark of a source: 1 ms less than the time when a row came into it. Rows arrive in that order."""
    assert isinstance(definition.expression, ast.Call)
    if not is_rowtime_of_source(column, connector):
        arrival = connector.arrival if connector is not None else ""
        known = f"({column.name} AS SYSTEM_ROWTIME(), or METADATA FROM '{arrival}')" if arrival else "which is unknown"
        raise SqlError(
            f"{definition.expression.name}() is the watermark of the time when rows came into the source {known}; for "
            f"a time in the rows write "
            f"WATERMARK FOR {column.name} AS {column.name} - INTERVAL '5' SECOND",
            definition.expression.at,
        )
    return Watermark(column.name, _lagging(1), definition.text, (column.name,), delay=1)


def _constant_delay(definition: parsed.WatermarkDefinition) -> int | None:
    """The constant by which the watermark lags its column (ms). None if it is any other expression."""
    match definition.expression:
        case ast.Name(parts) if parts == definition.column.parts:
            return 0
        case ast.Binary("-", ast.Name(parts), ast.Interval() as delay) if parts == definition.column.parts:
            return interval_ms(delay) if delay.unit in ("DAY", "HOUR", "MINUTE", "SECOND") else None
    return None


def _check_rowtime(name: str, kind: DataType, at: Place) -> None:
    if not kind.is_timestamp:
        raise SqlError(f"the rowtime column {name!r} must be TIMESTAMP(3) or TIMESTAMP_LTZ(3), it is {kind.flink}", at)
    if (kind.precision or 0) > ROWTIME_PRECISION:
        raise SqlError(
            f"the rowtime column {name!r} is {kind.flink}; a rowtime has at most {ROWTIME_PRECISION} fraction digits: "
            f"declare it as {kind.name}({ROWTIME_PRECISION}), or add a computed column with a CAST",
            at,
        )


def _milliseconds(sql: str, kind: DataType) -> str:
    """SQL of a TIMESTAMP or TIMESTAMP_LTZ as milliseconds of its clock: "unix_millis(CAST(`ts` AS TIMESTAMP))".

    The engine's session zone is UTC.
    """
    return f"unix_millis({sql})" if kind.name == "TIMESTAMP_LTZ" else f"unix_millis(CAST({sql} AS TIMESTAMP))"
