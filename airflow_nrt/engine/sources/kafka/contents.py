"""Keys and values of records as columns, a function for each format of `model/connectors/record_formats.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sources.avro_confluent.kept_schemas import KeptSchemas
from airflow_nrt.engine.sources.avro_confluent.records import parse_avro_confluent
from airflow_nrt.engine.sources.avro_confluent.registry import check_registry
from airflow_nrt.engine.sources.formats.avro import parse_avro
from airflow_nrt.engine.sources.formats.changes import parse_changes
from airflow_nrt.engine.sources.formats.csv import parse_csv
from airflow_nrt.engine.sources.formats.json import parse_json, with_objects
from airflow_nrt.engine.sources.formats.raw import parse_raw
from airflow_nrt.engine.sources.long_lines import within_elements
from airflow_nrt.model.connectors.avro_confluent import AVRO_CONFLUENT, registry_settings
from airflow_nrt.model.connectors.kafka_options import parts
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.tables import LINE, Column, Table

Parse = Callable[[DataFrame, str, Table, Sequence[Column], KeptSchemas], DataFrame]


def parsed(rows: DataFrame, content: str, part: Table, wanted: Sequence[Column], kept: KeptSchemas) -> DataFrame:
    """The rows with the wanted columns of a key or a value, which is the column of bytes `content`. Others stay.

    `kept` are the schemas of writers that the home keeps.
    """
    return _PARSERS[part.format](rows, content, part, wanted, kept)


def check_registries(table: Table) -> None:
    """Raises InputError and UnreachableError if a registry of the table's schemas is not there, or refuses."""
    for part in parts(table).values():
        if part.format == AVRO_CONFLUENT:
            check_registry(registry_settings(part))


def _lines(rows: DataFrame, content: str) -> DataFrame:
    """The content as text. A record without one is no row."""
    others = [quote(name) for name in rows.columns if name != content]
    return rows.selectExpr(*others, f"CAST({content} AS STRING) AS {LINE}").where(f"{LINE} <> ''")


def _csv(rows: DataFrame, content: str, part: Table, wanted: Sequence[Column], kept: KeptSchemas) -> DataFrame:
    return parse_csv(_lines(rows, content), part, part.columns, wanted)


def _json(rows: DataFrame, content: str, part: Table, wanted: Sequence[Column], kept: KeptSchemas) -> DataFrame:
    return parse_json(with_objects(within_elements(_lines(rows, content), part)), part, wanted)


def _changes(rows: DataFrame, content: str, part: Table, wanted: Sequence[Column], kept: KeptSchemas) -> DataFrame:
    return parse_changes(within_elements(_lines(rows, content), part), part, CHANGE_FORMATS[part.format], wanted)


def _raw(rows: DataFrame, content: str, part: Table, wanted: Sequence[Column], kept: KeptSchemas) -> DataFrame:
    return parse_raw(rows, content, part, wanted)


def _avro(rows: DataFrame, content: str, part: Table, wanted: Sequence[Column], kept: KeptSchemas) -> DataFrame:
    return parse_avro(rows, content, part, wanted)


_PARSERS: Mapping[str, Parse] = {
    "csv": _csv,
    "json": _json,
    **dict.fromkeys(CHANGE_FORMATS, _changes),
    "raw": _raw,
    "avro": _avro,
    "avro-confluent": parse_avro_confluent,
}
