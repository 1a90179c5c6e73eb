"""Lines that are longer than their source allows: they are cut while they are read (`BoundedText.java`), and rejected.

A cut line has its first bytes, a byte that is invalid in UTF-8, and a mark with its length and the limit. So the check
for valid UTF-8 finds it, and short lines cost nothing. A line of json that has more elements than its source allows is
cut in the same way before it is parsed: three million empty objects are nine megabytes.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.model.options.known import MAX_ELEMENTS, source_option
from airflow_nrt.model.tables import LINE, Table

LONGEST_HEAD = 1000
_ELEMENTS = " elements"
_MARK = f"\ufffdnrt:([0-9]+)({_ELEMENTS})?>([0-9]+)\\z"
_NO_UTF8 = "it has bytes that are no UTF-8"
_BETWEEN_ELEMENTS = r'"(?:[^"\\]|\\.)*+"|[^,\[{"]++'
"""What is no sign of an element: texts, and all but commas and the beginnings of arrays and objects. Possessive, so
that no match recurses."""


def reader_options(table: Table) -> dict[str, str]:
    """Options of Spark's reader of lines."""
    return {"maxLineLength": str(longest(table))}


def longest(table: Table) -> int:
    """The most bytes of a line, or of a record of csv."""
    return min(int(source_option(table.options, "source.max-line-length")), 2**30)


def within_elements(lines: DataFrame, table: Table) -> DataFrame:
    """Lines of json, cut where they have more elements than the table allows.

    A line has no more elements than bytes, so that those of no more bytes are not searched.
    """
    most = int(source_option(table.options, MAX_ELEMENTS))
    others = [quote(name) for name in lines.columns if name != LINE]
    searched = f"octet_length({LINE}) > {most} AND {elements_sql(LINE)} > {most}"
    cut = cut_sql(LINE, elements_sql(LINE), most, _ELEMENTS)
    return lines.selectExpr(*others, f"IF({searched}, {cut}, {LINE}) AS {LINE}")


def elements_sql(line: str) -> str:
    r"""SQL of the number of elements of arrays and fields of objects in a line, where an empty one counts as one.

    >>> print(elements_sql("line"))
    octet_length(regexp_replace(line, '"(?:[^"\\\\]|\\\\.)*+"|[^,\\[{"]++', ''))
    """
    return f"octet_length(regexp_replace({line}, {string_literal(_BETWEEN_ELEMENTS)}, ''))"


def is_cut(line: str = LINE) -> str:
    r"""SQL predicate: a line was cut.

    >>> print(is_cut("line"))
    (NOT is_valid_utf8(line) AND line RLIKE '�nrt:([0-9]+)( elements)?>([0-9]+)\\z')
    """
    return f"(NOT is_valid_utf8({line}) AND {line} RLIKE {string_literal(_MARK)})"


def cut_sql(head: str, size: str, limit: int, unit: str = "") -> str:
    """SQL of a cut text of this size, in the form in which the reader cuts a line of so many bytes.

    >>> print(cut_sql("line", "length(line)", 1000))
    CAST(concat(CAST(left(line, 1000) AS BINARY), X'FF6E72743A', CAST(concat(length(line), '>1000') AS BINARY)) AS
    STRING)
    """
    mark = f"CAST(concat({size}, '{unit}>{limit}') AS BINARY)"
    return f"CAST(concat(CAST(left({head}, {LONGEST_HEAD}) AS BINARY), X'FF6E72743A', {mark}) AS STRING)"


def why_no_text(line: str = LINE) -> str:
    r"""SQL of a message about a line that is no UTF-8, or that was cut.

    >>> print(why_no_text("line"))
    IF(line RLIKE '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', concat('it has ', regexp_extract(line, '�nrt:([0-9]+)(
    elements)?>([0-9]+)\\z', 1), IF(regexp_extract(line, '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', 2) <> '', ' elements,
    and \'source.max-line-elements\'', ' bytes, and \'source.max-line-length\''), ' allows ', regexp_extract(line,
    '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', 3)), 'it has bytes that are no UTF-8')
    """
    size, unit, limit = (f"regexp_extract({line}, {string_literal(_MARK)}, {n})" for n in (1, 2, 3))
    allowed = (" elements, and 'source.max-line-elements'", " bytes, and 'source.max-line-length'")
    allows = f"IF({unit} <> '', {', '.join(map(string_literal, allowed))})"
    words = f"'it has ', {size}, {allows}, ' allows ', {limit}"
    return f"IF({line} RLIKE {string_literal(_MARK)}, concat({words}), {string_literal(_NO_UTF8)})"


def shown_line(line: str = LINE) -> str:
    r"""SQL of a line for people.

    >>> print(shown_line("line"))
    regexp_replace(make_valid_utf8(line), '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', '…')
    """
    return f"regexp_replace(make_valid_utf8({line}), {string_literal(_MARK)}, '…')"
