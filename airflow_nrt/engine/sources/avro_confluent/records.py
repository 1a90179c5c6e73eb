"""Records of `avro-confluent` as columns: each by the schema of its writer.

A first look at the rows finds the numbers of their schemas, so that only the driver asks the registry, and before
anything is decided. Then Spark decodes all rows in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.texts import shortened
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sources.avro_confluent.kept_schemas import KeptSchemas
from airflow_nrt.engine.sources.avro_confluent.registry import Found, schemas
from airflow_nrt.engine.sources.avro_confluent.writer_schema import IS_READ, Reading, UnfitSchemaError, reading
from airflow_nrt.engine.sources.formats.avro import beyond_type
from airflow_nrt.engine.sources.malformed import FAULT, WHOLE_LINE, WHY, fault_sql, faulty_columns
from airflow_nrt.model.connectors.avro_confluent import URL, RegistrySettings, registry_settings
from airflow_nrt.model.tables import LINE, Column, Table

_HEAD = "_nrt_head"
"""What a record begins with: a byte 0, and the number of its schema."""
_MOST_SCHEMAS = 1000
"""Of one batch: the most frequent ones. Garbage can have as many numbers as records."""
_MOST_ASKED = 100
"""How many new ones of a batch the registry is asked for."""


def parse_avro_confluent(
    records: DataFrame, content: str, part: Table, wanted: Sequence[Column], kept: KeptSchemas
) -> DataFrame:
    """Records, whose bytes are in the column `content`, to typed columns, `_nrt_line` (the bytes in hexadecimal digits,
    of malformed ones), `_nrt_fault` and `_nrt_why`; their other columns are kept. A record without bytes is no row.

    Raises UnreachableError if a schema is needed that the home has not, and the registry is away.
    """
    others = [quote(name) for name in records.columns if name != content]
    rows = records.where(f"{content} <> X''").selectExpr(*others, content, f"substring({content}, 1, 5) AS {_HEAD}")
    readings, problems = _readings(known_schemas(rows, part, kept), wanted)
    decoded = (_decoded(n, number, *one, content) for n, (number, one) in enumerate(readings.items()))
    rows = rows.selectExpr(*others, content, _HEAD, *decoded)
    read = [(_record(n), one) for n, (_, one) in enumerate(readings.values())]
    values = (
        f"{_of_schema(read, {record: one.values[column.name] for record, one in read}, _null(column))} "
        f"AS {quote(column.name)}"
        for column in wanted
    )
    beyond = {
        column: {record: one.beyond[column.name] for record, one in read if column.name in one.beyond}
        for column in wanted
    }
    is_read = " OR ".join(_is_read(record) for record, _ in read) or "false"
    faults = [beyond_type(column, _of_schema(read, sql, "false")) for column, sql in beyond.items() if sql]
    fault = f"{fault_sql([f'NOT ({is_read})'], faults)} AS {FAULT}"
    rows = rows.selectExpr(*others, content, _HEAD, *values, fault)
    line = f"IF({FAULT} IS NULL, NULL, hex({content})) AS {LINE}"
    names = (quote(column.name) for column in wanted)
    return rows.selectExpr(*others, *names, line, FAULT, f"{_why(problems, readings)} AS {WHY}")


def known_schemas(rows: DataFrame, part: Table, kept: KeptSchemas) -> dict[int, Found]:
    """The schemas of these rows by their numbers, from the home or else from the registry, and then kept.

    Raises UnreachableError and InputError as a request of the registry does.
    """
    heads = rows.where(f"length({_HEAD}) = 5 AND substring({_HEAD}, 1, 1) = X'00'").groupBy(_HEAD).count()
    most = heads.orderBy("count", ascending=False).limit(_MOST_SCHEMAS).collect()
    numbers = [int.from_bytes(row[0][1:], "big") for row in most]
    settings, there = registry_settings(part), kept.read(numbers)
    known = {number: one.found for number, one in there.items()}
    lacking = [one for one in numbers if one not in known][:_MOST_ASKED]
    moved = [number for number, one in there.items() if one.text is not None and one.registry != settings.place]
    if lacking or moved:
        found = schemas(settings, [*lacking, *moved])
        _check_same(settings, {number: (known[number], found[number]) for number in moved})
        asked = {number: _checked(rows.sparkSession, one) for number, one in found.items()}
        kept.keep(settings.place, asked)
        known |= asked
    return known


def _check_same(settings: RegistrySettings, schemas_of: Mapping[int, tuple[Found, Found]]) -> None:
    """Raises InputError if a registry at another place has another schema for a number than the home keeps."""
    for number, (before, now) in schemas_of.items():
        if now != before:
            raise InputError(
                f"{settings.where}: {settings.place} is another registry than the one that this home has asked before: "
                f"its schema {number} is not the same. Correct '{URL}', or begin with a new home"
            )


def _checked(spark: SparkSession, found: Found) -> Found:
    """The schema, if Spark's Avro can read it."""
    if found.text is None:
        return found
    jvm: Any = spark._jvm
    try:
        java_class(jvm, "org.apache.avro.Schema$Parser")().setValidateDefaults(False).parse(found.text)
    except Py4JJavaError as wrong:
        return Found(None, f"it is no schema of Avro: {shortened(str(wrong.java_exception.getMessage()), 200)}")
    return found


def _readings(
    known: Mapping[int, Found], wanted: Sequence[Column]
) -> tuple[dict[int, tuple[str, Reading]], dict[int, str]]:
    """By the number of a schema its text and how it is read, and why others are not."""
    readings: dict[int, tuple[str, Reading]] = {}
    problems = {}
    for number, found in sorted(known.items()):
        if found.text is None:
            problems[number] = found.why
            continue
        try:
            readings[number] = found.text, reading(found.text, wanted, _record(len(readings)))
        except UnfitSchemaError as unfit:
            problems[number] = str(unfit)
    return readings, problems


def _record(n: int) -> str:
    return f"_nrt_record_{n}"


def _is_read(record: str) -> str:
    return f"{record}.{IS_READ} IS NOT NULL"


def _decoded(n: int, number: int, text: str, read: Reading, content: str) -> str:
    """SQL of a record, if it is of this schema, which is the n-th of the batch.

    >>> print(_decoded(0, 258, '"int"', Reading('"long"', {}, {}), "value"))
    IF(_nrt_head = X'0000000102', from_avro(substring(value, 6), '"int"', map('mode', 'PERMISSIVE',
    'datetimeRebaseMode', 'CORRECTED', 'avroSchema', '"long"')), NULL) AS _nrt_record_0
    """
    options = (
        f"map('mode', 'PERMISSIVE', 'datetimeRebaseMode', 'CORRECTED', 'avroSchema', {string_literal(read.schema)})"
    )
    body = f"from_avro(substring({content}, 6), {string_literal(text)}, {options})"
    return f"IF({_HEAD} = {_head(number)}, {body}, NULL) AS {_record(n)}"


def _head(number: int) -> str:
    """SQL of what a record of this schema begins with.

    >>> print(_head(258))
    X'0000000102'
    """
    return f"X'00{number:08X}'"


def _of_schema(read: Sequence[tuple[str, Reading]], values: Mapping[str, str], otherwise: str) -> str:
    """SQL of the value of whichever record was read.

    >>> print(_of_schema([("r", Reading("", {}, {}))], {"r": "r.a"}, "NULL"))
    CASE WHEN r._nrt_is_read IS NOT NULL THEN r.a ELSE NULL END
    """
    cases = [f"WHEN {_is_read(record)} THEN {values[record]}" for record, _ in read if record in values]
    return f"CASE {' '.join(cases)} ELSE {otherwise} END" if cases else otherwise


def _null(column: Column) -> str:
    """SQL of no value.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_null(Column("n", DataType("INT"))))
    CAST(NULL AS INT)
    """
    return f"CAST(NULL AS {column.type.spark})"


def _why(problems: Mapping[int, str], readings: Mapping[int, object]) -> str:
    r"""SQL of why a record has no row, or not all of it.

    >>> print(_why({3: "the registry does not know it"}, {}).replace("\x01", ",").replace("\x02", "~"))
    CASE WHEN _nrt_fault = '' THEN CASE WHEN _nrt_head = X'0000000003' THEN 'schema 3: the registry does not know it'
    WHEN length(_nrt_head) = 5 AND substring(_nrt_head, 1, 1) = X'00' THEN 'the batch has too many schemas that are new'
    ELSE 'it does not begin with 0 and the number of a schema in four bytes' END WHEN _nrt_fault IS NOT NULL THEN
    concat('column ', split(replace(_nrt_fault, '~', ''), ',')[0], ': its value is beyond its type') END
    """
    unusable = {number: f"schema {number}: {shortened(why, 300)}" for number, why in problems.items()}
    malformed = {number: f"it is no record of schema {number}" for number in readings}
    cases = " ".join(
        f"WHEN {_HEAD} = {_head(number)} THEN {string_literal(why)}"
        for number, why in {**unusable, **malformed}.items()
    )
    none = string_literal("it does not begin with 0 and the number of a schema in four bytes")
    many = string_literal("the batch has too many schemas that are new")
    whole = f"CASE {cases} WHEN length({_HEAD}) = 5 AND substring({_HEAD}, 1, 1) = X'00' THEN {many} ELSE {none} END"
    beyond = f"concat('column ', {faulty_columns()}[0], ': its value is beyond its type')"
    return f"CASE WHEN {FAULT} = {string_literal(WHOLE_LINE)} THEN {whole} WHEN {FAULT} IS NOT NULL THEN {beyond} END"
