"""Aggregates of the rows in a frame, with the accumulators that windows have."""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.engine.windows.partials import layout_of
from airflow_nrt.report.operators import Regroup
from airflow_nrt.report.types import TIMESTAMP3
from airflow_nrt.report.updating import UpdatingRows
from airflow_nrt.report.windows import Window

_ALL_TIME = Window("TUMBLE", 1, 1)
_PLACE = "'of a row of OVER'"


def with_framed(operator: UpdatingRows, rows: DataFrame) -> DataFrame:
    """The rows with the results of the operator's framed calls."""
    for over in dict.fromkeys(one.over for one in operator.framed):
        calls = tuple(one.call for one in operator.framed if one.over == over)
        layout = layout_of(Regroup(operator.name, operator.input, _ALL_TIME, operator.keys, calls, TIMESTAMP3))
        lifted = rows.selectExpr("*", *(one.lifted for one in layout.rows))
        others = [name for name in lifted.columns if name not in {one.name for one in layout.rows}]
        merged = lifted.selectExpr(*others, *(one.merged(over) for one in layout.rows))
        results = [f"{sql.replace('{place}', _PLACE)} AS {name}" for name, sql in layout.results]
        rows = merged.selectExpr(*others, *results)
    return rows
