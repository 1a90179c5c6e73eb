"""Aggregates of the rows in a frame, with the accumulators of windows."""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.engine.updating.all_time import layout_of_all_time
from airflow_nrt.model.updating import UpdatingRows

_PLACE = "'of a row of OVER'"


def with_framed(operator: UpdatingRows, rows: DataFrame) -> DataFrame:
    """The rows with the results of the operator's framed calls."""
    for over in dict.fromkeys(one.over for one in operator.framed):
        calls = tuple(one.call for one in operator.framed if one.over == over)
        layout = layout_of_all_time(operator, operator.keys, calls)
        lifted = rows.selectExpr("*", *(one.lifted for one in layout.row_accumulators))
        others = [name for name in lifted.columns if name not in {one.name for one in layout.row_accumulators}]
        merged = lifted.selectExpr(*others, *(one.merged(over) for one in layout.row_accumulators))
        results = [f"{sql.replace('{place}', _PLACE)} AS {name}" for name, sql in layout.results]
        rows = merged.selectExpr(*others, *results)
    return rows
