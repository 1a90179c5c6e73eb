"""Files of lines as rows: csv, json, formats of changes, raw."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame

from airflow_nrt.basics.partition_pattern import NO_VALUE
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import STRING
from airflow_nrt.engine.sources.arrivals import partition_values
from airflow_nrt.engine.sources.files.asked_files import COUNTED, AskedFiles
from airflow_nrt.engine.sources.formats.changes import parse_changes
from airflow_nrt.engine.sources.formats.csv import parse_csv
from airflow_nrt.engine.sources.formats.csv_records import by_quotes, whole_records
from airflow_nrt.engine.sources.formats.json import parse_json, with_objects
from airflow_nrt.engine.sources.formats.raw import parse_raw_lines
from airflow_nrt.engine.sources.long_lines import reader_options, within_elements
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.tables import LINE, Column


def read_csv(ask: AskedFiles) -> DataFrame:
    return parse_csv(_csv_records(ask), ask.table, ask.stored, ask.wanted)


def read_json(ask: AskedFiles) -> DataFrame:
    objects = with_objects(within_elements(_filled(_lines(ask, ask.files)), ask.table))
    return parse_json(_counted(objects), ask.table, ask.wanted)


def read_changes(ask: AskedFiles) -> DataFrame:
    records = within_elements(_filled(_lines(ask, ask.files)), ask.table)
    return parse_changes(_counted(records), ask.table, CHANGE_FORMATS[ask.table.format], ask.wanted)


def read_raw(ask: AskedFiles) -> DataFrame:
    # As in Flink, a line ends with \\n alone.
    return parse_raw_lines(_counted(_lines(ask, ask.files, lineSep="\n")), ask.table, ask.wanted)


def _lines(ask: AskedFiles, files: Sequence[SourceFile], **more: str) -> DataFrame:
    reader = ask.reader([Column(LINE, STRING), *ask.partitions]).options(**reader_options(ask.table), **more)
    return ask.of_partitions(reader.text([file.path.translate(GLOB) for file in files])).selectExpr("*", *ask.place)


def _csv_records(ask: AskedFiles) -> DataFrame:
    """The records of csv: lines, except in files with quotes, which are not split."""
    plain, quoted = by_quotes(_asked_files(ask), ask.table)
    records = []
    if plain or not quoted:
        records.append(_counted(_filled(_lines(ask, plain))))
    if quoted:
        # Lines end with \\n only, so that they still contain all other breaks.
        parts = ask.tasks.gathered(_counted(_lines(ask, quoted, lineSep="\n")))
        records.append(_filled(whole_records(parts, ask.table, FILE, BLOCK, INDEX)).select(*parts.columns))
    return reduce(DataFrame.unionAll, records)


def _filled(lines: DataFrame) -> DataFrame:
    return lines.where(f"{LINE} <> ''")


def _counted(lines: DataFrame) -> DataFrame:
    return lines.selectExpr("*", COUNTED)


def _asked_files(ask: AskedFiles) -> Sequence[SourceFile]:
    """The files of the partitions that are asked for. Spark evaluates the filter on their names, without a job."""
    if ask.asked is None:
        return ask.files
    kinds = {quote(name): ask.table.column(name).type.spark for name in ask.table.partition_keys}
    found = [partition_values(file.path, ask.table.path) for file in ask.files]
    places = [tuple(_partition(one.get(name)) for name in ask.table.partition_keys) for one in found]
    numbers = {place: n for n, place in enumerate(dict.fromkeys(places))}
    known = {"_nrt_n": "INT", **dict.fromkeys(kinds, "STRING")}
    rows = given_rows(ask.spark, known, [(n, *p) for p, n in numbers.items()])
    typed = (f"CAST({name} AS {kind}) AS {name}" for name, kind in kinds.items())
    kept = {row[0] for row in rows.selectExpr("_nrt_n", *typed).where(ask.asked.sql).select("_nrt_n").collect()}
    return [file for file, place in zip(ask.files, places) if numbers[place] in kept]


def _partition(value: str | None) -> str | None:
    return None if value == NO_VALUE else value
