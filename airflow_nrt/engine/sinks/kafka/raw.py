"""Format `raw` of keys and values: the one column in Flink's encoding."""

from __future__ import annotations

from airflow_nrt.model.connectors.raw import SIZES, Charset, charset_of, is_little, is_text
from airflow_nrt.model.tables import Column, Table


def raw_bytes(value: str, column: Column, part: Table) -> str:
    """SQL of the bytes of a value, or of a text with these bytes.

    >>> from airflow_nrt.basics.types import DataType
    >>> size = Column("size", DataType("INT"))
    >>> print(raw_bytes("v", size, Table("sizes", (size,), "kafka")))
    unhex(right(lpad(hex(CAST(v AS BIGINT)), 16, '0'), 8))
    """
    if is_text(column.type):
        charset = Charset.UTF_8 if column.type.is_bytes else charset_of(part)
        return f"CAST({value} AS STRING)" if charset is Charset.UTF_8 else _encoded(value, charset)
    if column.type.name == "BOOLEAN":
        return f"IF({value}, X'01', X'00')"
    digits = f"right(lpad(hex(CAST({value} AS BIGINT)), 16, '0'), {2 * SIZES[column.type.name]})"
    if is_little(part):
        digits = f"array_join(reverse(regexp_extract_all({digits}, '..', 0)), '')"
    return f"unhex({digits})"


def _encoded(text: str, charset: Charset) -> str:
    r"""SQL of a text in a charset, with `?` for what that lacks.

    >>> print(_encoded("v", Charset.LATIN_1))
    encode(regexp_replace(v, '[^\\x00-\\xff]', '?'), 'ISO-8859-1')
    """
    last = {Charset.ASCII: "7f", Charset.LATIN_1: "ff"}[charset]
    return f"encode(regexp_replace({text}, '[^\\\\x00-\\\\x{last}]', '?'), 'ISO-8859-1')"
