"""Reports as Python programs: the Table API, after PyFlink's convention (`docs/reference/table-api.md`).

A name is imported when it is asked for: a program loads what it uses.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airflow_nrt.model.result_timing import OutputOptions
    from airflow_nrt.table.environment.environment import StatementSet, TableEnvironment
    from airflow_nrt.table.environment.settings import EnvironmentSettings, TableConfig
    from airflow_nrt.table.expressions.expression import Expression, TimeIntervalUnit
    from airflow_nrt.table.expressions.expressions import (
        CURRENT_RANGE,
        CURRENT_ROW,
        UNBOUNDED_RANGE,
        UNBOUNDED_ROW,
        and_,
        array,
        atan2,
        call,
        call_sql,
        coalesce,
        col,
        concat,
        concat_ws,
        convert_tz,
        current_date,
        current_time,
        current_timestamp,
        current_watermark,
        date_format,
        e,
        from_unixtime,
        greatest,
        if_then_else,
        json_string,
        least,
        lit,
        local_time,
        local_timestamp,
        log,
        map_,
        negative,
        not_,
        null_of,
        or_,
        pi,
        row,
        row_interval,
        timestamp_diff,
        to_date,
        to_timestamp,
        to_timestamp_ltz,
        unix_timestamp,
        uuid,
    )
    from airflow_nrt.table.functions import (
        AggregateFunction,
        DataTypes,
        FunctionContext,
        Row,
        ScalarFunction,
        TableAggregateFunction,
        TableFunction,
        udaf,
        udf,
        udtaf,
        udtf,
    )
    from airflow_nrt.table.tables.grouped import GroupedTable, GroupWindowedTable
    from airflow_nrt.table.tables.over_windowed import OverWindowedTable
    from airflow_nrt.table.tables.pipeline import TablePipeline
    from airflow_nrt.table.tables.result import TableResult
    from airflow_nrt.table.tables.schema import TableSchema
    from airflow_nrt.table.tables.table import Table
    from airflow_nrt.table.windows.session_rows import SessionRows
    from airflow_nrt.table.windows.slide_rows import SlideRows
    from airflow_nrt.table.windows.tumble_rows import TumbleRows
    from airflow_nrt.table.windows.windows import Cumulate, Over, Session, Slide, Tumble

__all__ = [
    "CURRENT_RANGE", "CURRENT_ROW", "UNBOUNDED_RANGE", "UNBOUNDED_ROW", "AggregateFunction", "Cumulate", "DataTypes",
    "EnvironmentSettings", "Expression", "FunctionContext", "GroupWindowedTable", "GroupedTable", "OutputOptions",
    "Over", "OverWindowedTable", "Row", "ScalarFunction", "Session", "SessionRows", "Slide", "SlideRows",
    "StatementSet", "Table", "TableAggregateFunction", "TableConfig", "TableEnvironment", "TableFunction",
    "TablePipeline", "TableResult", "TableSchema", "TimeIntervalUnit", "Tumble", "TumbleRows",
    "and_", "array", "atan2", "call", "call_sql", "coalesce", "col", "concat", "concat_ws", "convert_tz",
    "current_date", "current_time", "current_timestamp", "current_watermark", "date_format", "e", "from_unixtime",
    "greatest", "if_then_else", "json_string", "least", "lit", "local_time", "local_timestamp", "log", "map_",
    "negative", "not_", "null_of", "or_", "pi", "row", "row_interval", "timestamp_diff", "to_date", "to_timestamp",
    "to_timestamp_ltz", "udaf", "udf", "udtaf", "udtf", "unix_timestamp", "uuid",
]  # fmt: skip

_MODULES = {
    "environment.environment": ("OutputOptions", "StatementSet", "TableEnvironment"),
    "environment.settings": ("EnvironmentSettings", "TableConfig"),
    "expressions.expression": ("Expression", "TimeIntervalUnit"),
    "functions": (
        "AggregateFunction", "DataTypes", "FunctionContext", "Row", "ScalarFunction", "TableAggregateFunction",
        "TableFunction", "udaf", "udf", "udtaf", "udtf",
    ),
    "tables.grouped": ("GroupWindowedTable", "GroupedTable"),
    "tables.over_windowed": ("OverWindowedTable",),
    "tables.pipeline": ("TablePipeline",),
    "tables.result": ("TableResult",),
    "tables.schema": ("TableSchema",),
    "tables.table": ("Table",),
    "windows.session_rows": ("SessionRows",),
    "windows.slide_rows": ("SlideRows",),
    "windows.tumble_rows": ("TumbleRows",),
    "windows.windows": ("Cumulate", "Over", "Session", "Slide", "Tumble"),
}  # fmt: skip
_MODULE_OF = dict.fromkeys(__all__, "expressions.expressions") | {
    name: module for module, names in _MODULES.items() for name in names
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        from airflow_nrt.table.checks.elsewhere import instead_of

        instead = instead_of(name)
        if instead is not None:
            # `from … import` shows the message of an ImportError, and only the name for an AttributeError.
            raise ImportError(f"there is no {name!r} in the Table API: {instead}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
