"""Format `avro`: records of Avro without their schema, as bytes.

Nothing in such bytes says where a field begins. Bytes of another schema may give values, too, but wrong ones: so a
record is written again, and is malformed unless that gives its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import MAX_PRECISION, DataType
from airflow_nrt.engine.sources.formats.values import may_be_unfit, unfit_form_of
from airflow_nrt.engine.sources.malformed import (
    FAULT,
    WHOLE_LINE,
    WHY,
    MalformedField,
    fault_sql,
    faulty_columns,
    lookup,
)
from airflow_nrt.model.connectors.avro import WIRE, record_schema
from airflow_nrt.model.tables import LINE, Column, Table

_IS_READ = "_nrt_is_read"
"""A field of no record, whose default shows that one was read: Spark gives a row of NULLs for malformed bytes."""
_NARROW = ("TINYINT", "SMALLINT")
"""What is Avro's int, and has fewer values."""


def avro_schema(part: Table) -> str:
    """SQL of the schema of a key or a value."""
    return _literal(record_schema(part, part.columns, WIRE))


def _as_read(kind: DataType) -> DataType:
    """The type by which a value is read: a DECIMAL with all digits that there are, as the bytes may hold more."""
    children = tuple((name, _as_read(child)) for name, child in kind.children)
    precision = MAX_PRECISION if kind.name == "DECIMAL" else kind.precision
    return replace(kind, precision=precision, children=children)


def parse_avro(records: DataFrame, content: str, part: Table, wanted: Sequence[Column]) -> DataFrame:
    """Records, whose bytes are in the column `content`, to typed columns, `_nrt_line` (the bytes in hexadecimal digits,
    of malformed ones), `_nrt_fault` and `_nrt_why`; their other columns are kept. A record without bytes is no row.
    """
    others = [quote(name) for name in records.columns if name != content]
    columns = tuple(replace(one, type=_as_read(one.type)) for one in part.columns)
    schema = record_schema(part, columns, WIRE)
    marked = {**schema, "fields": [*schema["fields"], {"name": _IS_READ, "type": "boolean", "default": True}]}
    options = f"map('mode', 'PERMISSIVE', 'datetimeRebaseMode', 'CORRECTED', 'avroSchema', {_literal(marked)})"
    rows = records.where(f"{content} <> X''").selectExpr(
        *others, content, f"from_avro({content}, {_literal(schema)}, {options}) AS _nrt_read"
    )
    fields = {column.name: f"_nrt_read.{quote(column.name)}" for column in part.columns}
    is_read = f"_nrt_read.{_IS_READ} IS NOT NULL"
    if not any(column.type.holds("ARRAY", "MAP") for column in part.columns):
        # Arrays and maps can be written in several ways.
        again = ", ".join(f"{sql} AS {quote(name)}" for name, sql in fields.items())
        is_read = f"IF({is_read}, to_avro(struct({again}), {_literal(schema)}) = {content}, false)"
    values = (f"{_narrowed(fields[column.name], column)} AS {quote(column.name)}" for column in wanted)
    given = (f"{fields[column.name]} AS {_given(n)}" for n, column in enumerate(wanted))
    rows = rows.selectExpr(*others, content, f"{is_read} AS _nrt_is_read", *values, *given)
    faults = [_malformed(_given(n), one) for n, one in enumerate(wanted) if _is_narrow(one)]
    kept = [*others, *(f"IF(_nrt_is_read, {quote(one.name)}, NULL) AS {quote(one.name)}" for one in wanted)]
    rows = rows.selectExpr(*kept, content, f"{fault_sql(['NOT _nrt_is_read'], faults)} AS {FAULT}")
    line = f"IF({FAULT} IS NULL, NULL, hex({content})) AS {LINE}"
    return rows.selectExpr(*others, *(quote(one.name) for one in wanted), line, FAULT, f"{_why(wanted)} AS {WHY}")


def beyond_type(column: Column, is_wrong: str) -> MalformedField:
    """A field whose number is beyond its type, by this predicate. A DECIMAL merely does not fit."""
    unfit = "true" if may_be_unfit(column.type) and not column.type.holds(*_NARROW) else ""
    return MalformedField(column, is_wrong, unfit)


def _malformed(given: str, column: Column) -> MalformedField:
    return beyond_type(column, _is_beyond(given, column))


def _is_narrow(column: Column) -> bool:
    return column.type.holds(*_NARROW) or column.type != _as_read(column.type)


def _why(wanted: Sequence[Column]) -> str:
    r"""SQL of `_nrt_why`.

    >>> print(_why([]).replace("\x01", "|").replace("\x02", "~"))
    CASE WHEN _nrt_fault = '' THEN 'it is no Avro record of the table\'s columns, in their order and with their
    nullability' WHEN _nrt_fault IS NOT NULL THEN concat('column ', split(replace(_nrt_fault, '~', ''), '|')[0], ': ',
    coalesce(concat('it', NULL), 'its number is beyond its type')) END
    """
    none = string_literal("it is no Avro record of the table's columns, in their order and with their nullability")
    unfit = {one.name: string_literal(unfit_form_of(one.type)) for one in wanted if may_be_unfit(one.type)}
    column = f"{faulty_columns()}[0]"
    form = f"coalesce(concat('it', {lookup(column, unfit)}), 'its number is beyond its type')"
    beyond = f"concat('column ', {column}, ': ', {form})"
    return f"CASE WHEN {FAULT} = {string_literal(WHOLE_LINE)} THEN {none} WHEN {FAULT} IS NOT NULL THEN {beyond} END"


def _given(n: int) -> str:
    return f"_nrt_given_{n}"


def _narrowed(sql: str, column: Column) -> str:
    """SQL of a value in its column's type, NULL if it is beyond that.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_narrowed("given", Column("n", DataType("TINYINT"))))
    try_cast(given AS TINYINT)
    """
    return f"try_cast({sql} AS {column.type.spark})" if _is_narrow(column) else sql


def _is_beyond(given: str, column: Column) -> str:
    """SQL predicate: a number in the value is none of its type. Also values that can't be compared have a text.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_is_beyond("given", Column("n", DataType("TINYINT"))))
    to_json(struct(given AS one)) <> to_json(struct(`n` AS one))
    """
    return f"to_json(struct({given} AS one)) <> to_json(struct({quote(column.name)} AS one))"


def _literal(schema: object) -> str:
    return string_literal(json.dumps(schema))
