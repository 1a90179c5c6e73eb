"""Lines that are longer than their source allows: they are cut while they are read (`BoundedText.java`), and rejected.

A cut line has its first bytes, a byte that is invalid in UTF-8, and a mark with its length and the limit. So the check
for valid UTF-8 finds it, and short lines cost nothing.
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
    """The most bytes of a line, or of a record of csv."""
    return min(int(source_option(table.options, "source.max-line-length")), 2**30)


def is_cut(line: str = LINE) -> str:
    """SQL predicate: a line was cut."""
    return f"(NOT is_valid_utf8({line}) AND {line} RLIKE {string_literal(_MARK)})"


def cut_sql(head: str, length: str, limit: int) -> str:
    """SQL of a cut text of this length in bytes, in the form in which the reader cuts a line.

    >>> print(cut_sql("line", "length(line)", 1000))
    CAST(concat(CAST(left(line, 1000) AS BINARY), X'FF6E72743A', CAST(concat(length(line), '>1000') AS BINARY)) AS
    STRING)
    """
    size = f"CAST(concat({length}, '>{limit}') AS BINARY)"
    return f"CAST(concat(CAST(left({head}, {LONGEST_HEAD}) AS BINARY), X'FF6E72743A', {size}) AS STRING)"


def why_no_text(line: str = LINE) -> str:
    r"""SQL of a message about a line that is no UTF-8, or that was cut.

    >>> print(why_no_text("line"))
    IF(line RLIKE '�nrt:([0-9]+)>([0-9]+)\\z', concat('it has ', regexp_extract(line, '�nrt:([0-9]+)>([0-9]+)\\z', 1), '
    bytes, and \'source.max-line-length\' allows ', regexp_extract(line, '�nrt:([0-9]+)>([0-9]+)\\z', 2)), 'it has bytes
    that are no UTF-8')
    """
    length, limit = (f"regexp_extract({line}, {string_literal(_MARK)}, {n})" for n in (1, 2))
    words = f"'it has ', {length}, ' bytes, and \\'source.max-line-length\\' allows ', {limit}"
    return f"IF({line} RLIKE {string_literal(_MARK)}, concat({words}), {string_literal(_NO_UTF8)})"


def shown_line(line: str = LINE) -> str:
    """SQL of a line for people."""
    return f"regexp_replace(make_valid_utf8({line}), {string_literal(_MARK)}, '…')"
