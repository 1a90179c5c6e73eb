"""What a table of a database can't take: by the types, sizes and character sets of its columns, and by its key."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import INTEGER_LIMITS, DataType
from airflow_nrt.engine.sinks.jdbc.database import Database
from airflow_nrt.engine.sinks.jdbc.database_columns import (
    APPROXIMATE,
    BYTES,
    DECIMAL,
    JSON,
    TEXT,
    WHOLE,
    DatabaseColumn,
)
from airflow_nrt.engine.sinks.jdbc.values_as_texts import text_sql
from airflow_nrt.engine.sinks.limits import Limit
from airflow_nrt.model.connectors.jdbc import TABLE
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.tables import Column

_BITS = {"tinyint": 8, "smallint": 16, "int2": 16, "mediumint": 24, "int": 32, "integer": 32, "int4": 32}
_UNBOUNDED = 2**31 - 1
"""The size that drivers give for a column without one."""
_SINGLE = ("real", "float4", "float")
_LARGEST_SINGLE, _LEAST_SINGLE = "3.4028235E38D", "1.4E-45D"
_MOST_DIGITS = 37
"""Of a bound that Spark can compare with: it needs one digit more than the column."""
_OF_LATIN1 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_CHARACTERS = {
    "ascii": r"[^\x00-\x7F]",
    "latin1": rf"[^\x00-\xFF{_OF_LATIN1}]",
    "utf8": r"[\x{10000}-\x{10FFFF}]",
    "utf8mb3": r"[\x{10000}-\x{10FFFF}]",
}
"""What has no place in a character set."""


def limits_of(database: Database, insert: Insert) -> tuple[Limit, ...]:
    """The limits of the table of an insert. Those that no value of a column's type can break are left out."""
    found = database.described(insert.sink.options[TABLE])
    sets = database.character_sets(insert.sink.options[TABLE])
    limits: list[Limit] = []
    for column in insert.sink.physical:
        if column.name in found:
            limits += of_column(database, insert, column, found[column.name], sets.get(column.name, ""))
    limits += _of_key(database, insert)
    return tuple(limits)


def of_column(
    database: Database, insert: Insert, column: Column, into: DatabaseColumn, charset: str
) -> Iterator[Limit]:
    """The limits of a column. Of a BIGINT in an INT4:

    `n` NOT BETWEEN -2147483648 AND 2147483647
    """
    in_key, name = column.name in insert.sink.primary_key, quote(column.name)
    where = f"column {column.name!r} ({into.kind})"
    if not into.nullable and column.type.nullable and not in_key:
        yield Limit(f"{name} IS NULL", f"{where} is NOT NULL, and the row has a NULL for it")
    for broken, reason in _of_value(database, column, into, charset):
        yield Limit(broken, f"{where} {reason}", in_key)


def _of_value(database: Database, column: Column, into: DatabaseColumn, charset: str) -> Iterator[tuple[str, str]]:
    name, kind = quote(column.name), column.type
    if kind.is_timestamp or kind.name == "DATE":
        least, most = database.dialect.years
        yield f"year({name}) NOT BETWEEN {least} AND {most}", f"has the years {least} to {most}"
        if into.kind == "timestamp" and database.dialect.seconds is not None:
            first, last = database.dialect.seconds
            yield f"unix_seconds(CAST({name} AS TIMESTAMP)) NOT BETWEEN {first} AND {last}", "ends in January 2038"
    elif kind.is_numeric:
        yield from _of_number(name, kind, into, takes_nan=database.dialect.takes_nan)
    elif kind.is_bytes and into.size is not None and into.size < _UNBOUNDED and into.group == BYTES:
        yield f"octet_length({name}) > {into.size}", f"has room for {into.size} bytes"
    if into.group == TEXT and into.size is not None and into.size < _UNBOUNDED:
        text = text_sql(column)
        if into.kind.endswith("text"):
            yield f"octet_length({text}) > {into.size}", f"has room for {into.size} bytes"
        else:
            yield f"char_length(rtrim({text})) > {into.size}", f"has room for {into.size} characters"
    if kind.is_string:
        if into.group == JSON:
            yield f"({name} IS NOT NULL AND try_parse_json({name}) IS NULL)", "takes JSON, and the text is none"
        if charset in _CHARACTERS:
            pattern = string_literal(_CHARACTERS[charset])
            yield f"{name} RLIKE {pattern}", f"has no room in {charset} for a character of the text"
    if into.kind == "jsonb" and kind.children:
        nul = string_literal("\\u0000")
        yield f"instr({text_sql(column)}, {nul}) > 0", "has no room for the character NUL"
    if (kind.is_string or kind.is_bytes or kind.children) and database.largest_statement is not None:
        most = database.largest_statement
        yield f"octet_length({text_sql(column)}) > {most}", f"gets no more than {most} bytes by one statement"


def _of_number(name: str, kind: DataType, into: DatabaseColumn, takes_nan: bool) -> Iterator[tuple[str, str]]:
    """SQL predicates of numbers that have no place, and what is said of them.

    >>> print(next(_of_number("`n`", DataType("BIGINT"), DatabaseColumn("n", "int4"), True)))
    ('`n` NOT BETWEEN -2147483648 AND 2147483647', 'takes numbers from -2147483648 to 2147483647')
    """
    if into.group == WHOLE:
        bits = _BITS.get(into.kind.removesuffix(" unsigned"), 64)
        is_signed = not into.kind.endswith(" unsigned")
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
        if not is_signed or not kind.is_integer or INTEGER_LIMITS[kind.name] > most:
            yield f"{name} NOT BETWEEN {least} AND {most}", f"takes numbers from {least} to {most}"
    if into.group == DECIMAL and into.size is not None and into.size < _MOST_DIGITS:
        scale = into.digits or 0
        whole = into.size - scale
        # What is rounded up to one more digit has no room, either.
        bound = f"{10**whole - 1}.{'9' * scale}5"
        if kind.is_approximate:
            yield f"abs({name}) >= {bound}D", f"has room for {whole} digits before the point"
        elif kind.digits - (kind.scale or 0) >= whole:
            yield f"abs({name}) >= {bound}BD", f"has room for {whole} digits before the point"
    if kind.is_approximate and not takes_nan:
        special = "DOUBLE('Infinity')"
        yield f"(isnan({name}) OR abs({name}) = {special})", "has neither NaN nor infinity"
    if kind.name == "DOUBLE" and into.group == APPROXIMATE and into.kind.removesuffix(" unsigned") in _SINGLE:
        finite = f"abs({name}) < DOUBLE('Infinity')"
        beyond = f"({finite} AND (abs({name}) > {_LARGEST_SINGLE} OR ({name} <> 0 AND abs({name}) < {_LEAST_SINGLE})))"
        yield beyond, "has single precision"


def _of_key(database: Database, insert: Insert) -> Iterator[Limit]:
    """The limit of the entry of an index, where the database has one beside those of its columns.

    Counted as long as it is without compression.
    """
    most = database.dialect.most_bytes_of_key
    keys = [insert.sink.column(name) for name in insert.sink.primary_key]
    texts = [column for column in keys if column.type.is_string or column.type.is_bytes]
    if most is None or not texts:
        return
    room = most - 8 - 12 * len(texts) - 32 * (len(keys) - len(texts))
    size = " + ".join(f"coalesce(octet_length({quote(column.name)}), 0)" for column in texts)
    yield Limit(f"({size}) > {room}", f"its key has more than {room} bytes, which is too long for an index", True)
