"""Python functions in a Spark session.

A scalar or table function is one UDF over its values. An aggregate has `…_of_rows`, from an array of rows to the value.
If it merges it also has `…_fold`, from an array of rows and accumulators to one accumulator, `…_scan`, from an array of
accumulators to their running merges, and `…_result`, from an accumulator to the value (`python_aggregates.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
from pyspark.sql.pandas.functions import ArrowUDFType, PandasUDFType, arrow_udf, pandas_udf

from airflow_nrt.basics.times_of_day import SPARK_TIME, times_as
from airflow_nrt.engine.functions.nulled_values import count_nulls
from airflow_nrt.engine.functions.python_aggregates import folding, resulting, scanning
from airflow_nrt.engine.functions.scalar import guarded, of_series
from airflow_nrt.engine.functions.shipped_modules import travelling
from airflow_nrt.model.plan import Plan
from airflow_nrt.program.functions import PythonFunction


def register_functions(spark: SparkSession, plan: Plan) -> None:
    """Registers the plan's functions in the Spark session, and what counts values that can't be computed."""
    count_nulls(spark, plan)
    for function in travelling(plan):
        for name, one in _udfs(function).items():
            spark.udf.register(name, one)


def _udfs(function: PythonFunction) -> dict[str, Any]:
    name, kind = function.spark_name, times_as(function.value_type, SPARK_TIME).spark
    if not function.is_aggregate:
        if function.is_pandas:
            return {name: pandas_udf(of_series(function), kind, PandasUDFType.SCALAR)}
        return {name: udf(guarded(function), kind)}
    of_rows = resulting(replace(function, accumulator=None))
    udfs = {f"{name}_of_rows": arrow_udf(of_rows, kind, ArrowUDFType.SCALAR)}
    if function.accumulator is not None:
        udfs[f"{name}_result"] = arrow_udf(resulting(function), kind, ArrowUDFType.SCALAR)
        kept = function.accumulator.spark
        udfs[f"{name}_fold"] = arrow_udf(folding(function), kept, ArrowUDFType.SCALAR)
        udfs[f"{name}_scan"] = arrow_udf(scanning(function), f"ARRAY<{kept}>", ArrowUDFType.SCALAR)
    return udfs
