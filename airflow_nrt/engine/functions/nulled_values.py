"""Values that are NULL because they could not be computed, or do not fit a DECIMAL: they are counted.

SQL that gives such a NULL calls `nrt_null(expression, computation, place)`, whose accumulator of Spark counts over
all tasks (`NulledValues.java`). A computation counts once in its place, also where several readers ask for it, or a
task is repeated. Without a place it counts each time: the counts are for people, and no result depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import NULLED_VALUES
from airflow_nrt.engine.java.java_class import shipped_class
from airflow_nrt.engine.java.objects import elements, java_class
from airflow_nrt.model.arithmetic_errors import NULL_FUNCTION
from airflow_nrt.model.plan import Plan

_UNCOUNTED = (
    f"CREATE OR REPLACE TEMPORARY FUNCTION {NULL_FUNCTION}(expression STRING, computation STRING, place STRING) "
    "RETURNS STRING RETURN CAST(NULL AS STRING)"
)
_counting: WeakKeyDictionary[SparkSession, Any] = WeakKeyDictionary()


@dataclass(frozen=True)
class Nulled:
    """So many values of an expression, as the report writes it, are NULL in a place; one of them as it was computed.

    The place is a window or group with its key, or a row; it is empty where there is none, or too many had such values.
    """

    expression: str
    place: str
    count: int
    computation: str


def count_nulls(spark: SparkSession, plan: Plan) -> None:
    """Gives the session of a report what its SQL calls for such a value, if it does."""
    if not plan.counts_nulls or spark in _counting:
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
    return [Nulled(one[0], one[1], int(one[2]), one[3]) for one in elements(counting.taken())]
