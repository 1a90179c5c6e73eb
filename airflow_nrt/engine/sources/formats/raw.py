"""Format `raw`: the bytes of a line or a record are the value of the one column, in Flink's encoding."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.sources.long_lines import is_cut, why_no_text
from airflow_nrt.engine.sources.malformed import FAULT, NO_FAULT, WHY, fault_sql
from airflow_nrt.model.connectors.raw import SIZES, Charset, charset_of, is_little
from airflow_nrt.model.tables import LINE, Column, Table


def parse_raw_lines(lines: DataFrame, table: Table, wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to the column, `_nrt_fault` and `_nrt_why`; their other columns are kept. Only a line that
    was cut is malformed. What is no UTF-8 becomes U+FFFD, as in Flink."""
    others = [quote(name) for name in lines.columns if name != LINE]
    # What precedes \\n on Windows.
    bare = f"IF(endswith({LINE}, '\\r'), left({LINE}, length({LINE}) - 1), {LINE}) AS {LINE}"
    content = f"CAST({LINE} AS BINARY)"
    values = (f"{_valid(raw_value(content, one, table), one)} AS {quote(one.name)}" for one in wanted)
    why = f"IF({is_cut()}, {why_no_text()}, NULL) AS {WHY}"
    return lines.selectExpr(*others, bare).selectExpr(
        *others, LINE, *values, f"{fault_sql([is_cut()], [])} AS {FAULT}", why
    )


def parse_raw(records: DataFrame, content: str, part: Table, wanted: Sequence[Column]) -> DataFrame:
    """Records, whose bytes are in the column `content`, to the column, `_nrt_line` (the bytes in hexadecimal digits, of
    malformed ones), `_nrt_fault` and `_nrt_why`; their other columns are kept. Only a number is malformed, if it has
    another size. A record without bytes is NULL."""
    others = [quote(name) for name in records.columns if name != content]
    values = (f"{raw_value(content, one, part)} AS {quote(one.name)}" for one in wanted)
    kind = part.columns[0].type
    if kind.name not in SIZES:
        return records.selectExpr(*others, *values, f"CAST(NULL AS STRING) AS {LINE}", *NO_FAULT)
    is_other = f"octet_length({content}) <> {SIZES[kind.name]}"
    says = string_literal(f" bytes, and {kind.flink} in format 'raw' has {SIZES[kind.name]}")
    return records.selectExpr(
        *others,
        *values,
        f"IF({is_other}, hex({content}), NULL) AS {LINE}",
        f"{fault_sql([is_other], [])} AS {FAULT}",
        f"IF({is_other}, concat('it has ', octet_length({content}), {says}), NULL) AS {WHY}",
    )


def raw_value(content: str, column: Column, part: Table) -> str:
    """SQL of the value of bytes; NULL if a number has another size.

    >>> from airflow_nrt.basics.types import DataType
    >>> size = Column("size", DataType("SMALLINT"))
    >>> print(raw_value("b", size, Table("sizes", (size,), "kafka")))
    IF(octet_length(b) = 2, CAST(shiftright(shiftleft(CAST(conv(hex(b), 16, -10) AS BIGINT), 48), 48) AS SMALLINT),
    NULL)
    """
    kind = column.type
    if kind.is_string:
        return _text(content, charset_of(part))
    if kind.is_bytes:
        return content
    size = SIZES[kind.name]
    value = f"{content} <> X'00'" if kind.name == "BOOLEAN" else _whole(content, size, is_little(part))
    return f"IF(octet_length({content}) = {size}, CAST({value} AS {kind.spark}), NULL)"


def _whole(content: str, size: int, little: bool) -> str:
    """SQL of a whole number, whose first bit is its sign.

    >>> print(_whole("b", 4, True))
    shiftright(shiftleft(CAST(conv(array_join(reverse(regexp_extract_all(hex(b), '..', 0)), ''), 16, -10) AS BIGINT),
    32), 32)
    """
    digits = f"array_join(reverse(regexp_extract_all(hex({content}), '..', 0)), '')" if little else f"hex({content})"
    unused = 64 - 8 * size
    return f"shiftright(shiftleft(CAST(conv({digits}, 16, -10) AS BIGINT), {unused}), {unused})"


def _text(content: str, charset: Charset) -> str:
    r"""SQL of a text in a charset.

    >>> print(_text("b", Charset.ASCII))
    regexp_replace(decode(b, 'ISO-8859-1'), '[^\\x00-\\x7f]', '�')
    """
    if charset is Charset.UTF_8:
        return f"CAST({content} AS STRING)"
    text = f"decode({content}, 'ISO-8859-1')"
    return f"regexp_replace({text}, '[^\\\\x00-\\\\x7f]', '\ufffd')" if charset is Charset.ASCII else text


def _valid(value: str, column: Column) -> str:
    """SQL of a value that holds nothing but UTF-8.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_valid("v", Column("line", DataType("STRING"))))
    make_valid_utf8(v)
    """
    return f"make_valid_utf8({value})" if column.type.is_string else value
