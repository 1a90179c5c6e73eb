"""Keys and measures of a published file as Arrow tables: keys as texts, measures as doubles."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from airflow_nrt.home.log.entries import Published
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.tables import Table


def read_table(table: Table, one: Published, content: bytes, keys: Sequence[str], measures: Sequence[str]) -> pa.Table:
    """Raises pa.ArrowException for a file that does not fit the table."""
    inside = {column.name for column in table.physical if column.name not in table.partition_keys}
    found = _READERS[table.format](table, content, [name for name in (*keys, *measures) if name in inside])
    values = _partition_values(one.target)
    columns = [
        *(as_texts(found[name]) if name in inside else pa.array([values.get(name)] * len(found)) for name in keys),
        *(as_doubles(found[name]) if name in inside else pa.nulls(len(found), pa.float64()) for name in measures),
    ]
    return pa.table(columns, names=[*keys, *measures])


def _parquet(table: Table, content: bytes, names: list[str]) -> pa.Table:
    from pyarrow import parquet

    return parquet.ParquetFile(io.BytesIO(content)).read(names, use_threads=False)


def _json(table: Table, content: bytes, names: list[str]) -> pa.Table:
    from pyarrow import json

    schema = pa.schema([(name, _type(table, name)) for name in names])
    options = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    return json.read_json(io.BytesIO(content), json.ReadOptions(use_threads=False), options)


def _csv(table: Table, content: bytes, names: list[str]) -> pa.Table:
    from pyarrow import csv

    def option(name: str) -> Any:
        return sink_option(table.options, f"csv.{name}")

    inside = [column.name for column in table.physical if column.name not in table.partition_keys]
    return csv.read_csv(
        io.BytesIO(content),
        csv.ReadOptions(column_names=inside, use_threads=False),
        csv.ParseOptions(
            delimiter=option("field-delimiter"), quote_char=option("quote-character"), newlines_in_values=True
        ),
        csv.ConvertOptions(
            column_types={name: _type(table, name) for name in names},
            include_columns=names,
            null_values=[option("null-literal") or ""],
            strings_can_be_null=True,
        ),
    )


_READERS = {"parquet": _parquet, "json": _json, "csv": _csv}


def _type(table: Table, name: str) -> pa.DataType:
    """The type with which a column of a text format is read."""
    kind = table.column(name).type.name
    if kind in ("TINYINT", "SMALLINT", "INT", "BIGINT"):
        return pa.int64()
    if kind == "BOOLEAN":
        return pa.bool_()
    return pa.float64() if kind in ("DECIMAL", "FLOAT", "DOUBLE") else pa.string()


def as_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(column, pa.string())


def as_doubles(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_decimal(column.type):
        return pc.cast(column, pa.float64(), safe=False)
    return pc.cast(column, pa.float64())


def _partition_values(target: str) -> dict[str, str]:
    named = (part.partition("=") for part in Path(target).parent.parts)
    return {name: unquote(value) for name, _, value in named}
