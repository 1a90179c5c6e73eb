"""The rows of ranges of topics: an ordinary batch of Spark, with the columns of a source."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sources.avro_confluent.kept_schemas import KeptSchemas
from airflow_nrt.engine.sources.kafka.client import patience
from airflow_nrt.engine.sources.kafka.contents import parsed
from airflow_nrt.engine.sources.kafka.kafka_rows import rows_of_topics
from airflow_nrt.engine.sources.kafka.upserts import key_fault, parsed_upserts
from airflow_nrt.engine.sources.malformed import FAULT, WHY, both_faults
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.ranges import OFFSET, PART, placed
from airflow_nrt.home.log.splits import SourceRange
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.connectors.kafka import HEADERS, KIND, PARTITION, TIMESTAMP
from airflow_nrt.model.connectors.kafka_options import key_columns, key_part, key_prefix, properties, value_part
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import LINE, Column, Table

_KEY = "_nrt_key"
_FORBIDDEN = ("group.id", "auto.offset.reset", "enable.auto.commit", "key.deserializer", "value.deserializer")
"""Properties of a consumer that Spark sets itself."""


def read_ranges(
    spark: SparkSession,
    source: Source,
    ranges: Sequence[SourceRange],
    numbers: Mapping[str, int],
    schemas: StorePath | None,
) -> DataFrame:
    """The rows of these ranges, with the columns of `Source.read`, and those that METADATA columns read.

    `schemas` is where the home keeps those of writers.
    """
    table = source.table
    wanted = {*source.physical}
    metadata = [table.column(name).metadata for name in source.columns]
    records = _records(spark, table, ranges, with_headers="headers" in metadata)
    columns = [FILE, NUMBER, BLOCK, INDEX, PARTITION]
    if any(metadata):
        columns += ["topic AS _nrt_topic", OFFSET, TIMESTAMP, KIND]
        columns += [HEADERS] if "headers" in metadata else []
    located = records.withColumn(PART, F.expr(f"concat(topic, '-', {PARTITION})"))
    rows = placed(located, ranges, numbers, PARTITION).selectExpr("key AS _nrt_key", "value AS _nrt_value", *columns)
    value = value_part(table)
    prefix = key_prefix(table)
    kept = KeptSchemas.of(schemas, table, "value")
    if table.has_upserts:
        # A retraction has its key alone.
        of_value = [one for one in value.columns if one.name in wanted.difference(table.primary_key)]
        rows = parsed_upserts(rows, "_nrt_value", value, of_value, kept)
    else:
        of_value = [one for one in value.columns if one.name in wanted]
        rows = parsed(rows, "_nrt_value", value, of_value, kept)
    in_value = {one.name for one in of_value}
    # A column that key and value have is the value's, as in Flink.
    of_key = [
        one for one in (key_part(table).columns if key_columns(table) else ()) if prefix + one.name in wanted - in_value
    ]
    kept = KeptSchemas.of(schemas, table, "key")
    return _with_key(rows, table, of_key, prefix, kept) if of_key else rows.drop(_KEY)


def _with_key(rows: DataFrame, table: Table, columns: Sequence[Column], prefix: str, kept: KeptSchemas) -> DataFrame:
    """The rows with columns of the key, too. A record without a key has none of them."""
    aside = {name: f"_nrt_value_{name}" for name in rows.columns if name != _KEY}
    keyed = rows.withColumnsRenamed(aside).withColumn("_nrt_keyless", F.expr(f"coalesce({_KEY}, X'') = X''"))
    # A blank, as an empty text would be no row.
    given = keyed.withColumn(_KEY, F.expr(f"IF(_nrt_keyless, X'20', {_KEY})"))
    keyed = parsed(given, _KEY, key_part(table), columns, kept)
    optional = (f"IF(_nrt_keyless, NULL, {FAULT})", f"IF(_nrt_keyless, NULL, {WHY})")
    of_the_key = key_fault("_nrt_keyless") if table.has_upserts else optional
    fault, why = both_faults((quote(aside[FAULT]), quote(aside[WHY])), of_the_key)
    of_key = (f"IF(_nrt_keyless, NULL, {quote(one.name)}) AS {quote(prefix + one.name)}" for one in columns)
    of_value = (f"{quote(name)} AS {quote(old)}" for old, name in aside.items() if old not in (FAULT, WHY))
    return keyed.selectExpr(*of_value, *of_key, f"{fault} AS {FAULT}", f"{why} AS {WHY}")


def no_records(spark: SparkSession, source: Source) -> DataFrame:
    """The same columns without rows.

    Spark does not know what their values are: else it would judge a row that is not there by them, and fail.
    """
    kinds = {quote(name): source.table.column(name).type.spark for name in source.physical}
    hidden = dict.fromkeys((LINE, FAULT, WHY, FILE, *([OP] if source.table.is_changelog else [])), "STRING")
    places = dict.fromkeys((NUMBER, BLOCK, INDEX), "BIGINT")
    more = {"_nrt_topic": "STRING", PARTITION: "INT", OFFSET: "BIGINT", TIMESTAMP: "TIMESTAMP", KIND: "INT"}
    more[HEADERS] = "ARRAY<STRUCT<key: STRING, value: BINARY>>"
    columns = {**kinds, **hidden, **places, **more}.items()
    values = (f"get(CAST(array() AS ARRAY<{kind}>), CAST(id AS INT)) AS {name}" for name, kind in columns)
    return spark.range(0, 0, 1, 1).selectExpr(*values)


def _records(spark: SparkSession, table: Table, ranges: Sequence[SourceRange], with_headers: bool) -> DataFrame:
    asked: dict[str, tuple[int, int]] = {}
    for one in ranges:
        start, end = asked.get(one.part, (one.start, one.end))
        asked[one.part] = min(one.start, start), max(one.end, end)
    known = {
        # All that is asked for is there: a longer wait holds back the question for offsets that follows.
        "fetch.max.wait.ms": "5",
        # Spark asks for the partition's ends after each poll.
        "max.poll.records": "10000",
        **patience(properties(table)),
        **{name: text for name, text in properties(table).items() if name not in _FORBIDDEN},
        "group.id": _group(table),
    }
    records = rows_of_topics(spark, known, asked, with_headers)
    names = {
        "partition": PARTITION,
        "offset": OFFSET,
        "timestamp": TIMESTAMP,
        "timestampType": KIND,
        "headers": HEADERS,
    }
    return records.withColumnsRenamed(names)


def _group(table: Table) -> str:
    """The group of the consumers. Spark keeps these by group: with one for each query, every batch would make new ones,
    and two tables with other properties can't share them. None commits."""
    digest = hashlib.blake2b(json.dumps(properties(table), sort_keys=True).encode(), digest_size=8).hexdigest()
    return f"airflow-nrt-{digest}"
