"""Records of topics as rows of Spark, from given offsets to given offsets.

Spark's second interface of Kafka copies each record into a row, and asks the broker once more for partitions that are
known here; its first one makes an object of Java of each field. So `KafkaRows.java` makes rows of the same records,
read by Spark's own reader, which share their memory (docs/decisions/38-kafka.md).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.java_sources import KAFKA_ROWS
from airflow_nrt.engine.java.java_class import shipped_class
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sources.kafka.client import PATIENCE
from airflow_nrt.engine.spark.temporary_settings import setting

Ranges = Mapping[str, tuple[int, int]]
"""By partition (`topic-number`), the first offset and the one after the last."""


def load_rows(spark: SparkSession) -> None:
    """Loads what makes rows of records."""
    shipped_class(spark, KAFKA_ROWS)


def rows_of_topics(spark: SparkSession, properties: Mapping[str, str], ranges: Ranges, headers: bool) -> DataFrame:
    """The records: key, value, topic, partition, offset, timestamp, timestampType, and headers if they are wanted.

    Two steps that read this frame share what they read, as it is of one RDD. `properties` are of Kafka's consumer; its
    group is one for all batches, since Spark keeps consumers by group.
    """
    context: Any = spark.sparkContext
    made = shipped_class(spark, KAFKA_ROWS)
    if made is None:
        return copied_rows(spark, properties, ranges, headers)
    texts = [
        f"{part.rpartition('-')[0]} {part.rpartition('-')[2]} {start} {end}" for part, (start, end) in ranges.items()
    ]
    group = properties["group.id"]
    rows = made.read(context._jsc.sc(), dict(properties), group, texts, int(PATIENCE), headers)
    schema = java_class(context._jvm, "org.apache.spark.sql.kafka010.KafkaRecordToRowConverter").kafkaSchema(headers)
    return _frame(spark, rows, schema)


def copied_rows(spark: SparkSession, properties: Mapping[str, str], ranges: Ranges, headers: bool) -> DataFrame:
    """The same by Spark's second interface, whose plans are never equal: they are made into one RDD."""
    starts: dict[str, dict[str, int]] = defaultdict(dict)
    ends: dict[str, dict[str, int]] = defaultdict(dict)
    for part, (start, end) in ranges.items():
        topic, _, number = part.rpartition("-")
        starts[topic][number], ends[topic][number] = start, end
    options = {
        **{f"kafka.{name}": text for name, text in properties.items()},
        "kafkaConsumer.pollTimeoutMs": PATIENCE,
        "assign": json.dumps({topic: [int(number) for number in of] for topic, of in starts.items()}),
        "startingOffsets": json.dumps(starts),
        "endingOffsets": json.dumps(ends),
        "includeHeaders": str(headers).lower(),
    }
    name = "spark.sql.sources.useV1SourceList"
    before = spark.conf.get(name) or ""
    with setting(spark, {name: ",".join(one for one in before.split(",") if one != "kafka")}):
        scan = spark.read.format("kafka").options(**options).load()._jdf
    return _frame(spark, scan.queryExecution().toRdd(), scan.schema())


def _frame(spark: SparkSession, rows: Any, schema: Any) -> DataFrame:
    ours: Any = spark
    return DataFrame(ours._jsparkSession.internalCreateDataFrame(rows, schema, False), spark)
