"""Aggregates of the rows in a frame, with the accumulators of windows."""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.engine.aggregates.accumulator_layout import accumulator_layout, names
from airflow_nrt.model.updating import UpdatingRows

_PLACE = "'of a row of OVER'"


def with_framed(operator: UpdatingRows, rows: DataFrame) -> DataFrame:
    """The rows with the results of the operator's framed calls."""
    for over in dict.fromkeys(one.over for one in operator.framed):
        calls = tuple(one.call for one in operator.framed if one.over == over)
        accumulators = accumulator_layout(calls)
        lifted = rows.selectExpr("*", *(one.lifted for one in accumulators.of_rows))
        others = [name for name in lifted.columns if name not in names(accumulators.of_rows)]
        merged = lifted.selectExpr(*others, *(one.merged(over) for one in accumulators.of_rows))
        rows = merged.selectExpr(*others, *accumulators.finished(_PLACE))
    return rows
