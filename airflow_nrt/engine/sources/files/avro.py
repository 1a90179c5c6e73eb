"""Object container files of Avro as rows: each by the schema of its writer, which it has."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.failures.failures import CorruptFileError
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sources.avro_confluent.writer_schema import Reading, UnfitSchemaError, reading
from airflow_nrt.engine.sources.files.asked_files import COUNTED, AskedFiles
from airflow_nrt.engine.sources.files.avro_header import writer_schema
from airflow_nrt.engine.sources.files.parquet import read_parquet
from airflow_nrt.engine.sources.formats.avro import beyond_type
from airflow_nrt.engine.sources.malformed import FAULT, WHY, fault_sql, faulty_columns
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.model.tables import LINE

_RECORD = "_nrt_record"


def read_avro(ask: AskedFiles) -> DataFrame:
    """Raises CorruptFileError for a file whose schema can't be read, or whose records are no rows of the table."""
    if not ask.files:
        # No file has types to look at, and no rows are the same in every format.
        return read_parquet(ask)
    alike: dict[str, list[str]] = defaultdict(list)
    for file in ask.files:
        try:
            alike[writer_schema(file.path)].append(file.path)
        except (OSError, ValueError) as wrong:
            raise CorruptFileError(file.path, str(wrong)) from None
    parts = []
    for schema, paths in alike.items():
        try:
            parts.append(_rows(ask, paths, reading(schema, ask.wanted, _RECORD)))
        except (UnfitSchemaError, ValueError) as unfit:
            raise CorruptFileError(paths[0], f"its schema does not fit the table: {unfit}") from None
    return reduce(DataFrame.unionAll, parts)


def _rows(ask: AskedFiles, paths: list[str], read: Reading) -> DataFrame:
    partitions = [quote(column.name) for column in ask.partitions]
    stored = _spark_schema(ask, read.schema)
    schema = StructType([*stored.fields, *_partitions(ask).fields])
    options = {"avroSchema": read.schema, "datetimeRebaseMode": "CORRECTED"}
    reader = ask.reader([]).format("avro").options(**options).schema(schema)
    found = ask.of_partitions(reader.load([path.translate(GLOB) for path in paths]))
    record = f"struct({', '.join(quote(field.name) for field in stored.fields)}) AS {_RECORD}"
    rows = found.selectExpr(record, *partitions, *ask.place, COUNTED)
    others = [name for name in rows.columns if name != _RECORD]
    values = (f"{read.values[column.name]} AS {quote(column.name)}" for column in ask.wanted)
    faults = [beyond_type(column, read.beyond[column.name]) for column in ask.wanted if column.name in read.beyond]
    rows = rows.selectExpr(*map(quote, others), _RECORD, *values, f"{fault_sql([], faults)} AS {FAULT}")
    line = f"IF({FAULT} IS NULL, NULL, to_json({_RECORD})) AS {LINE}"
    says = f"concat('column ', {faulty_columns()}[0], ': its value is beyond its type')"
    why = f"IF({FAULT} IS NULL, NULL, {says}) AS {WHY}"
    names = (quote(column.name) for column in (*ask.wanted, *ask.partitions))
    of_place = (quote(name) for name in others if quote(name) not in partitions)
    return rows.selectExpr(*names, line, FAULT, why, *of_place)


def _partitions(ask: AskedFiles) -> StructType:
    found = StructType.fromDDL(", ".join(f"{quote(column.name)} {column.type.spark}" for column in ask.partitions))
    assert isinstance(found, StructType)
    return found


def _spark_schema(ask: AskedFiles, schema: str) -> StructType:
    """The columns that Spark reads by a schema of Avro."""
    jvm: Any = ask.spark._jvm
    parsed = java_class(jvm, "org.apache.avro.Schema$Parser")().setValidateDefaults(False).parse(schema)
    kind = java_class(jvm, "org.apache.spark.sql.avro.SchemaConverters").toSqlType(parsed).dataType()
    return StructType.fromJson(json.loads(kind.json()))
