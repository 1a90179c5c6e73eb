"""Files of Parquet as rows."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame

from airflow_nrt.engine.sources.files.asked_files import COUNTED, AskedFiles
from airflow_nrt.engine.sources.malformed import NO_FAULT
from airflow_nrt.engine.sources.times_of_day import in_parquet
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.model.tables import LINE


def read_parquet(ask: AskedFiles) -> DataFrame:
    known = f"CAST(NULL AS STRING) AS {LINE}", *NO_FAULT, *ask.place, COUNTED
    parts = []
    for alike in in_parquet([file.path for file in ask.files], [*ask.wanted, *ask.partitions]):
        found = ask.reader(alike.columns).parquet(*(path.translate(GLOB) for path in alike.paths))
        parts.append(ask.of_partitions(found).selectExpr(*alike.values, *known))
    return reduce(DataFrame.unionAll, parts)
