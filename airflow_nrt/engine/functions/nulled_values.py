"""Values that are NULL because they could not be computed, where the report wants no error: they are counted.

SQL that gives such a NULL calls `nrt_null(expression, computation)`, whose accumulator of Spark counts over all tasks
(`NulledValues.java`). A task that is repeated, or rows that are computed for several readers, count again: the counts
are for people, and no result depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import NULLED_VALUES
from airflow_nrt.engine.java.java_class import shipped_class
from airflow_nrt.engine.java.objects import elements, java_class
from airflow_nrt.model.arithmetic_errors import NULL_FUNCTION, are_null
from airflow_nrt.model.plan import Plan

_UNCOUNTED = (
    f"CREATE OR REPLACE TEMPORARY FUNCTION {NULL_FUNCTION}(expression STRING, computation STRING) RETURNS STRING "
    "RETURN CAST(NULL AS STRING)"
)
_counting: WeakKeyDictionary[SparkSession, Any] = WeakKeyDictionary()


@dataclass(frozen=True)
class Nulled:
    """So many values of an expression, as the report writes it, are NULL; one of them as it was computed."""

    expression: str
    count: int
    computation: str


def count_nulls(spark: SparkSession, plan: Plan) -> None:
    """Gives the session of a report what its SQL calls for such a value, if the report wants NULL."""
    if not are_null(plan.settings) or spark in _counting:
        return
    ours: Any = spark
    made = shipped_class(spark, NULLED_VALUES)
    if made is None:
        spark.sql(_UNCOUNTED)
        return
    counting = made(ours.sparkContext._jsc.sc())
    text = java_class(ours._jvm, "org.apache.spark.sql.types.DataTypes").StringType
    ours._jsparkSession.udf().register(NULL_FUNCTION, counting, text)
    _counting[spark] = counting


def nulled(spark: SparkSession) -> list[Nulled]:
    """What was counted since the last call."""
    counting = _counting.get(spark)
    if counting is None:
        return []
    return [Nulled(one[0], int(one[1]), one[2]) for one in elements(counting.taken())]
