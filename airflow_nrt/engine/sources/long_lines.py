"""Lines that are longer than their source allows: cut while they are read (`BoundedText.java`), and no rows.

Of such a line its first bytes are left, a byte that is in no UTF-8, and a mark with its length and the limit. So
whoever finds that a line is no UTF-8 has found it, and lines that are short cost nothing.
"""

from __future__ import annotations

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import LINE, Table

LONGEST_HEAD = 1000
_MARK = "\ufffdnrt:([0-9]+)>([0-9]+)\\z"
_NO_UTF8 = "it has bytes that are no UTF-8"


def reader_options(table: Table) -> dict[str, str]:
    """Options of Spark's reader of lines."""
    return {"maxLineLength": str(longest(table))}


def longest(table: Table) -> int:
    """Of a line, and of a record of csv, in bytes."""
    return min(int(source_option(table.options, "source.max-line-length")), 2**30)


def is_cut(line: str = LINE) -> str:
    """SQL of whether a line was cut."""
    return f"(NOT is_valid_utf8({line}) AND {line} RLIKE {string_literal(_MARK)})"


def cut_sql(head: str, length: str, limit: int) -> str:
    """SQL of what is left of a text of this length in bytes, as the reader leaves it of a line."""
    size = f"CAST(concat({length}, '>{limit}') AS BINARY)"
    return f"CAST(concat(CAST(left({head}, {LONGEST_HEAD}) AS BINARY), X'FF6E72743A', {size}) AS STRING)"


def why_no_text(line: str = LINE) -> str:
    """SQL of what is wrong with a line that is no UTF-8."""
    length, limit = (f"regexp_extract({line}, {string_literal(_MARK)}, {n})" for n in (1, 2))
    words = f"'it has ', {length}, ' bytes, and \\'source.max-line-length\\' allows ', {limit}"
    return f"IF({line} RLIKE {string_literal(_MARK)}, concat({words}), {string_literal(_NO_UTF8)})"


def shown_line(line: str = LINE) -> str:
    """SQL of a line for people."""
    return f"regexp_replace(make_valid_utf8({line}), {string_literal(_MARK)}, '…')"
