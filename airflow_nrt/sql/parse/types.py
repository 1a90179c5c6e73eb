"""Type names in DDL and CAST: `DECIMAL(10, 2)`, `TIMESTAMP(3) WITH LOCAL TIME ZONE`, `ROW<a INT, b STRING>`."""

from __future__ import annotations

from airflow_nrt.basics.times_of_day import DIGITS
from airflow_nrt.basics.types import MAX_LENGTH, MAX_PRECISION, DataType, decimal, multiset
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.parse.cursor import Cursor

_PLAIN = {
    "BOOLEAN": "BOOLEAN", "TINYINT": "TINYINT", "SMALLINT": "SMALLINT", "INT": "INT", "INTEGER": "INT",
    "BIGINT": "BIGINT", "FLOAT": "FLOAT", "STRING": "STRING", "BYTES": "BYTES", "DATE": "DATE",
}  # fmt: skip
_DECIMALS = ("DECIMAL", "DEC", "NUMERIC")
_OF_TEXTS = "keep the text as STRING, and read it by JSON_VALUE and JSON_QUERY"
_LATER = {
    "RAW": "values of Java's classes are BYTES or STRING here",
    "VARIANT": _OF_TEXTS,
    "BITMAP": "COUNT(DISTINCT …) counts exactly, ARRAY_AGG and COLLECT keep the values",
    "STRUCTURED": "write ROW<…> with its fields",
}
"""Types of Flink that are not there, and what to use instead."""
_OTHERS = {
    **dict.fromkeys(("TEXT", "LONGTEXT", "CLOB", "NVARCHAR", "VARCHAR2", "UUID", "JSON"), "STRING"),
    **dict.fromkeys(("DATETIME", "TIMESTAMP_NTZ"), "TIMESTAMP(3)"),
    **dict.fromkeys(("TIMESTAMPTZ", "TIMESTAMP_TZ"), "TIMESTAMP_LTZ(3)"),
    **dict.fromkeys(("BLOB", "BYTEA"), "BYTES"),
    **dict.fromkeys(("LONG", "INT64", "INT8", "BIGSERIAL"), "BIGINT"),
    **dict.fromkeys(("INT32", "INT4", "MEDIUMINT"), "INT"),
    **dict.fromkeys(("REAL", "FLOAT4"), "FLOAT"),
    **dict.fromkeys(("FLOAT8", "FLOAT64"), "DOUBLE"),
    **dict.fromkeys(("NUMBER", "MONEY"), "DECIMAL(p, s)"),
    **dict.fromkeys(("BOOL", "BIT"), "BOOLEAN"),
    "STRUCT": "ROW<a INT, …>",
    "NULL": "the type that its values would have",
}
"""Names of types in other dialects, with Flink's."""
_DAY_TIME, _YEAR_MONTH = ("DAY", "HOUR", "MINUTE", "SECOND"), ("YEAR", "QUARTER", "MONTH", "WEEK")


def parse_type(cursor: Cursor) -> DataType:
    """A type with its `NOT NULL`, and Flink's postfixes `ARRAY` and `MULTISET`."""
    kind = _type(cursor)
    while True:
        if cursor.take_word("NOT", "NULL"):
            kind = kind.with_nullable(False)
        elif not cursor.is_word("NULL", "ON") and cursor.take_word("NULL"):
            kind = kind.with_nullable(True)
        elif cursor.take_word("ARRAY"):
            kind = DataType("ARRAY", children=(("element", kind),))
        elif cursor.take_word("MULTISET"):
            kind = multiset(kind)
        else:
            return kind


def _type(cursor: Cursor) -> DataType:
    at = cursor.at
    word = cursor.token.upper
    if not word:
        raise cursor.error("a type")
    cursor.advance()
    if word in _PLAIN:
        return DataType(_PLAIN[word])
    if word == "DOUBLE":
        cursor.take_word("PRECISION")
        return DataType("DOUBLE")
    if word in _DECIMALS:
        return _decimal(cursor, at)
    if word == "VARCHAR" or (word in ("CHAR", "CHARACTER") and cursor.take_word("VARYING")):
        return _varying(cursor, at, "VARCHAR", "STRING")
    if word == "VARBINARY" or (word == "BINARY" and cursor.take_word("VARYING")):
        return _varying(cursor, at, "VARBINARY", "BYTES")
    if word in ("CHAR", "CHARACTER", "BINARY"):
        return DataType("BINARY" if word == "BINARY" else "CHAR", precision=_length(cursor, at, 1))
    if word == "TIME":
        return _time(cursor, at)
    if word in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        return _timestamp(cursor, word, at)
    if word == "ARRAY":
        return DataType("ARRAY", children=(("element", _one_in_angles(cursor)),))
    if word == "MULTISET":
        return multiset(_one_in_angles(cursor))
    if word == "MAP":
        cursor.expect_symbol("<")
        key = parse_type(cursor)
        cursor.expect_symbol(",")
        value = parse_type(cursor)
        cursor.expect_symbol(">")
        return DataType("MAP", children=(("key", key), ("value", value)))
    if word == "ROW":
        return _row(cursor)
    if word == "INTERVAL":
        return _interval(cursor)
    if word in _LATER:
        raise NotThereYet(f"type {word}", at, _LATER[word])
    if word in _OTHERS:
        raise SqlError(f"there is no type {word}: write {_OTHERS[word]}", at)
    raise SqlError(f"there is no type {word}", at)


def _parameter(cursor: Cursor, default: int | None) -> int | None:
    if not cursor.take_symbol("("):
        return default
    value = cursor.integer()
    cursor.expect_symbol(")")
    return value


def _length(cursor: Cursor, at: Place, default: int) -> int:
    length = _parameter(cursor, default) or 0
    if not 1 <= length <= MAX_LENGTH:
        raise SqlError(f"the length of a string must be between 1 and {MAX_LENGTH}, not {length}", at)
    return length


def _varying(cursor: Cursor, at: Place, name: str, longest: str) -> DataType:
    """VARCHAR or VARBINARY. Without a length it is the longest, as in Flink's DDL and CAST."""
    length = _length(cursor, at, MAX_LENGTH)
    return DataType(longest) if length == MAX_LENGTH else DataType(name, precision=length)


def _decimal(cursor: Cursor, at: Place) -> DataType:
    precision, scale = 10, 0
    if cursor.take_symbol("("):
        precision = cursor.integer()
        scale = cursor.integer() if cursor.take_symbol(",") else 0
        cursor.expect_symbol(")")
    if not 1 <= precision <= MAX_PRECISION:
        raise SqlError(f"the precision of DECIMAL must be between 1 and {MAX_PRECISION}, not {precision}", at)
    if scale > precision:
        raise SqlError(f"the scale of DECIMAL must not exceed its precision {precision}, it is {scale}", at)
    return decimal(precision, scale)


def _time(cursor: Cursor, at: Place) -> DataType:
    """TIME with up to nine digits, of which three are kept, as in Flink."""
    precision = _parameter(cursor, 0) or 0
    if precision > 9:
        raise SqlError(f"the precision of TIME must be between 0 and 9, not {precision}", at)
    if cursor.is_word("WITH"):
        raise SqlError("TIME has no time zone: write TIME, or TIMESTAMP_LTZ", at)
    cursor.take_word("WITHOUT", "TIME", "ZONE")
    return DataType("TIME", precision=min(precision, DIGITS))


def _timestamp(cursor: Cursor, word: str, at: Place) -> DataType:
    default = 6
    precision = _parameter(cursor, default)
    if precision is not None and precision > 9:
        raise SqlError(f"the precision of {word} must be between 0 and 9, not {precision}", at)
    if precision is not None and precision > 6:
        raise NotThereYet(f"{word} with more than 6 fraction digits", at, f"Spark keeps microseconds: write {word}(6)")
    if word == "TIMESTAMP" and cursor.take_word("WITH", "LOCAL", "TIME", "ZONE"):
        word = "TIMESTAMP_LTZ"
    elif cursor.is_word("WITH", "TIME", "ZONE"):
        raise SqlError("Flink has no TIMESTAMP WITH TIME ZONE; write TIMESTAMP_LTZ", at)
    else:
        cursor.take_word("WITHOUT", "TIME", "ZONE")
    return DataType(word, precision=precision)


def _interval(cursor: Cursor) -> DataType:
    """`INTERVAL DAY(3) TO SECOND(3)`: all lengths in days or less are one type."""
    at = cursor.at
    unit = cursor.take_any_word(*_DAY_TIME, *_YEAR_MONTH)
    if unit is None:
        raise cursor.error("a unit of time such as SECOND, MINUTE, HOUR or DAY")
    _parameter(cursor, None)
    if cursor.take_word("TO"):
        if cursor.take_any_word(*_DAY_TIME, "MONTH") is None:
            raise cursor.error("a unit of time such as SECOND")
        _parameter(cursor, None)
    if unit in _YEAR_MONTH:
        raise NotThereYet(f"type INTERVAL {unit}", at, "ts + INTERVAL '1' MONTH adds a literal")
    return DataType("INTERVAL")


def _one_in_angles(cursor: Cursor) -> DataType:
    cursor.expect_symbol("<")
    kind = parse_type(cursor)
    cursor.expect_symbol(">")
    return kind


def _row(cursor: Cursor) -> DataType:
    close = ")" if cursor.is_symbol("(") else ">"
    cursor.expect_symbol("(" if close == ")" else "<")
    fields: dict[str, DataType] = {}
    while True:
        at = cursor.at
        name = cursor.name("the name of a field")
        if name in fields:
            raise SqlError(f"field {name!r} is declared twice", at)
        fields[name] = parse_type(cursor)
        if cursor.token.kind.name == "STRING":
            cursor.advance()
        if not cursor.take_symbol(","):
            break
    cursor.expect_symbol(close)
    return DataType("ROW", children=tuple(fields.items()))
