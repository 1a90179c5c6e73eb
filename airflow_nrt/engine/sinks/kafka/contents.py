"""Columns as keys and values of records, a function for each format of `model/connectors/record_formats.py`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.sinks.change_lines import IS_GONE
from airflow_nrt.engine.sinks.file_staging import spelled
from airflow_nrt.engine.sinks.kafka.raw import raw_bytes
from airflow_nrt.engine.sources.formats.avro import avro_schema
from airflow_nrt.model.connectors.avro_confluent import encoded_schema
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.tables import Table

Write = Callable[[Table, str, bool], str]


def written(part: Table, prefix: str = "", changes: bool = False) -> str:
    """SQL of a key or a value. `prefix` is what the names of its columns begin with in the rows; `changes` is whether
    rows have an operation, `_nrt_op`."""
    return _WRITERS[part.format](part, prefix, changes)


def _csv(part: Table, prefix: str, changes: bool) -> str:
    """SQL of a row of csv.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> orders = Table("orders", (Column("id", DataType("INT")),), "kafka", options={"format": "csv"})
    >>> print(_csv(orders, "", False))
    to_csv(struct(`id` AS `id`), map('sep', ',', 'quote', '"', 'escape', '"', 'nullValue', '', 'emptyValue', '""',
    'ignoreLeadingWhiteSpace', 'false', 'ignoreTrailingWhiteSpace', 'false'))
    """
    null = sink_option(part.options, "csv.null-literal")
    mark = sink_option(part.options, "csv.quote-character")
    options = {
        "sep": sink_option(part.options, "csv.field-delimiter"),
        "quote": mark,
        "escape": mark,
        "nullValue": null or "",
        "emptyValue": mark * 2,
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    }
    given = ", ".join(f"{string_literal(name)}, {string_literal(text)}" for name, text in options.items())
    return f"to_csv({_row(part, prefix)}, map({given}))"


def _json(part: Table, prefix: str, changes: bool) -> str:
    return _object(part, _row(part, prefix))


def _change(part: Table, prefix: str, changes: bool) -> str:
    """SQL of a change.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> orders = Table("orders", (Column("id", DataType("INT")),), "kafka", options={"format": "debezium-json"})
    >>> print(_change(orders, "", True))
    to_json(struct(IF(_nrt_op IN ('-U', '-D'), struct(`id` AS `id`), NULL) AS before, IF(_nrt_op IN ('-U', '-D'), NULL,
    struct(`id` AS `id`)) AS after, IF(_nrt_op IN ('-U', '-D'), 'd', 'c') AS `op`), map('ignoreNullFields', 'false'))
    """
    form = CHANGE_FORMATS[part.format]
    return _object(part, form.written(_row(part, prefix), IS_GONE if changes else "false"))


def _raw(part: Table, prefix: str, changes: bool) -> str:
    """SQL of the one column.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> orders = Table("orders", (Column("id", DataType("STRING")),), "kafka", options={"format": "raw"})
    >>> print(_raw(orders, "k_", False))
    CAST(`k_id` AS STRING)
    """
    column = part.columns[0]
    return raw_bytes(quote(prefix + column.name), column, part)


def _avro(part: Table, prefix: str, changes: bool) -> str:
    """SQL of a record of Avro.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> orders = Table("orders", (Column("id", DataType("INT")),), "kafka", options={"format": "avro"})
    >>> print(_avro(orders, "", False))
    to_avro(struct(`id` AS `id`), '{"type": "record", "name": "org.apache.flink.avro.generated.record", "fields":
    [{"name": "id", "type": ["null", "int"], "default": null}]}')
    """
    return f"to_avro({_struct(part, prefix)}, {avro_schema(part)})"


def _struct(part: Table, prefix: str) -> str:
    """SQL of the columns as one value.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> print(_struct(Table("orders", (Column("id", DataType("INT")),), "kafka"), "k_"))
    struct(`k_id` AS `id`)
    """
    values = (f"{quote(prefix + column.name)} AS {quote(column.name)}" for column in part.columns)
    return f"struct({', '.join(values)})"


def _avro_confluent(part: Table, prefix: str, changes: bool) -> str:
    """Without the number of the schema, which is put before it when it is published (`schema_numbers.py`).

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> print(_avro_confluent(Table("orders", (Column("id", DataType("INT")),), "kafka"), "", False))
    to_avro(struct(`id` AS `id`), '{"type": "record", "name": "org.apache.flink.avro.generated.record", "fields":
    [{"name": "id", "type": ["null", "int"], "default": null}]}')
    """
    return f"to_avro({_struct(part, prefix)}, {string_literal(json.dumps(encoded_schema(part)))})"


def _object(part: Table, row: str) -> str:
    sparse = str(sink_option(part.options, f"{part.format}.encode.ignore-null-fields")).lower()
    return f"to_json({row}, map('ignoreNullFields', '{sparse}'))"


def _row(part: Table, prefix: str) -> str:
    """SQL of a row, with its values as the format spells them.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> orders = Table("orders", (Column("id", DataType("INT")), Column("day", DataType("DATE"))), "kafka")
    >>> print(_row(orders, ""))
    struct(`id` AS `id`, `day` AS `day`)
    """
    values = (f"{spelled(part, column, prefix)} AS {quote(column.name)}" for column in part.columns)
    return f"struct({', '.join(values)})"


_WRITERS: Mapping[str, Write] = {
    "csv": _csv,
    "json": _json,
    **dict.fromkeys(CHANGE_FORMATS, _change),
    "raw": _raw,
    "avro": _avro,
    "avro-confluent": _avro_confluent,
}
