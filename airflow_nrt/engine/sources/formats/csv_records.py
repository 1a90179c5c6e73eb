"""Records of csv that go over several lines, as a quoted field may hold line breaks (docs/decisions/21-csv-records.md).

Only files that contain the quote are read this way; the driver checks them. For each line it is computed whether it
ends in quotes, both if it begins in quotes and if it does not. All lines before it in the file decide which applies.

    1,"two       begins outside, ends inside (begun inside it would end outside)
    lines",1.5   ends outside, however it began
    2,x,2.5      ends as it begins
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.sources.formats.csv_syntax import CsvSyntax, literal_pattern
from airflow_nrt.engine.sources.long_lines import cut_sql, is_cut, longest
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import LINE, Table

_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")
_AT_ONCE = 1 << 20
_LOOKERS = 8
"""Files that are searched at a time, because remote file systems are slow to answer."""
_BREAK = "(?:\\r\\n|\\r|\\n)"
"""Hadoop ends a line at each of these. Lines that are read up to \\n still contain the others."""
_PIECE = f"[^\\r\\n]*{_BREAK}"
_LETTER = "x"
"""The beginning of a field that is not quoted."""
_NEVER = "(?!)"


def by_quotes(files: Sequence[SourceFile], table: Table) -> tuple[list[SourceFile], list[SourceFile]]:
    """The files whose records are lines, and those whose records may go over several."""
    with ThreadPoolExecutor(_LOOKERS) as pool:
        looked = list(zip(files, pool.map(lambda file: _holds_quotes(file, table), files)))
    return [file for file, quoted in looked if not quoted], [file for file, quoted in looked if quoted]


def _holds_quotes(file: SourceFile, table: Table) -> bool:
    """Whether a file has quotes or escapes; a compressed one counts as if it had. Spark reports unreadable files."""
    marks = CsvSyntax.of(table).marks
    if marks and file.path.endswith(_COMPRESSED):
        return True
    return any(_has_byte(file, mark.encode()[:1]) for mark in marks)


@lru_cache(maxsize=100_000)
def _has_byte(file: SourceFile, byte: bytes) -> bool:
    """Whether a file has a byte. Cached while the file does not change, because several queries may read it."""
    try:
        with open(file.path, "rb", buffering=0) as content:
            return any(byte in part for part in iter(lambda: content.read(_AT_ONCE), b""))
    except OSError:
        return False


def whole_records(lines: DataFrame, table: Table, file: str, block: str, index: str) -> DataFrame:
    """Lines that end with \\n, and may contain other breaks, to records. `file`, `block` and `index` are the place of a
    line; for a record they are the file, 0, and its number in the file."""
    syntax = CsvSyntax.of(table)
    comments = bool(source_option(table.options, "csv.allow-comments"))
    opens, stays_open = _opens(syntax, comments), _stays_open(syntax)
    before, goes_on = string_literal(syntax.separator), F.lit(False)
    others = [quote(name) for name in lines.columns if name not in (LINE, block, index)]
    # Only valid UTF-8 is split: a regular expression would change other bytes.
    parted = f"regexp_extract_all(concat({LINE}, '\\n'), {string_literal(_PIECE)}, 0)"
    pieces = f"posexplode(IF(is_valid_utf8({LINE}), {parted}, array({LINE})))"
    # The end of a cut line is not known, so the next line begins a record.
    whole = f"NOT {is_cut()}"
    ways = lines.selectExpr(*others, block, index, f"{pieces} AS (_nrt_piece, {LINE})")
    so_far = Window.partitionBy(file).orderBy(block, index, "_nrt_piece")
    if syntax.escape is not None:
        # Outside of quotes, it is the rest of a field.
        before = f"IF(_nrt_goes_on, {string_literal(syntax.separator + _LETTER)}, {before})"
        breaks = F.expr(f"{whole} AND {_is_like(LINE, _escaped_break(syntax.escape, comments))}")
        goes_on = F.lag(breaks, 1, False).over(so_far)
    ways = ways.withColumn("_nrt_goes_on", goes_on).selectExpr(
        "*",
        f"{whole} AND {_is_like(f'concat({before}, {LINE})', opens)} AS _nrt_outside",
        f"{whole} AND {_is_like(LINE, stays_open)} AS _nrt_inside",
    )
    turned = F.sum(F.expr("IF(_nrt_outside AND NOT _nrt_inside, 1, 0)")).over(so_far)
    ways = ways.withColumn("_nrt_turned", turned)
    fixed = F.expr("IF(_nrt_outside = _nrt_inside, IF(_nrt_outside, 1, 0) - _nrt_turned, NULL)")
    ways = ways.withColumn("_nrt_fixed", F.last(fixed, ignorenulls=True).over(so_far))
    ways = ways.withColumn("_nrt_open", F.expr("pmod(coalesce(_nrt_fixed, 0) + _nrt_turned, 2)"))
    begins = F.when(F.col("_nrt_goes_on"), 0).otherwise(F.lit(1) - F.lag("_nrt_open", 1, 0).over(so_far))
    ways = ways.withColumn("_nrt_begins", begins).withColumn("_nrt_record", F.sum("_nrt_begins").over(so_far))
    # An unclosed quote makes one record of all following lines, so what exceeds the limit is not kept.
    ways = ways.withColumn("_nrt_to", F.sum(F.expr(f"octet_length({LINE})")).over(so_far))
    starts = F.expr(f"IF(_nrt_begins = 1, _nrt_to - octet_length({LINE}), NULL)")
    ways = ways.withColumn("_nrt_size", F.col("_nrt_to") - F.last(starts, ignorenulls=True).over(so_far))
    limit = longest(table)
    within_limit = F.when(F.col("_nrt_size") <= limit, F.struct(block, index, "_nrt_piece", LINE))
    parts, size = F.array_sort(F.collect_list(within_limit)), F.max("_nrt_size")
    records = ways.groupBy(*others, "_nrt_record").agg(parts.alias("_nrt_parts"), size.alias("_nrt_size"))
    joined = f"array_join(transform(_nrt_parts, part -> part.{LINE}), '')"
    unbroken = f"regexp_replace({joined}, {string_literal(_BREAK + chr(92) + 'z')}, '')"
    text = f"IF(is_valid_utf8({joined}), {unbroken}, {joined})"
    # Sorted, because readers of the rows rely on their order.
    return records.selectExpr(
        *others,
        f"IF(_nrt_size > {limit}, {cut_sql(joined, '_nrt_size', limit)}, {text}) AS {LINE}",
        f"0L AS {block}",
        f"_nrt_record AS {index}",
    ).sortWithinPartitions(file, index)


def _is_like(text: str, pattern: str) -> str:
    """SQL predicate.

    >>> print(_is_like("line", "^a"))
    line RLIKE '^a'
    """
    return f"{text} RLIKE {string_literal(pattern)}"


def _escaped_break(escape: str, comments: bool) -> str:
    r"""The pattern of a line whose break is part of a field, as an escape precedes it. A comment has none.

    >>> print(_escaped_break("!", False))
    ^[^\!]*+(?:\!(?!(?:\r\n|\r|\n)\z)[\s\S][^\!]*+)*+\!(?:\r\n|\r|\n)\z
    """
    mark, begins = literal_pattern(escape), "(?! *#)" if comments else ""
    return f"^{begins}[^{mark}]*+(?:{mark}(?!{_BREAK}\\z)[\\s\\S][^{mark}]*+)*+{mark}{_BREAK}\\z"


def _opens(syntax: CsvSyntax, comments: bool) -> str:
    r"""The pattern of a line that begins outside of quotes and ends inside, with a delimiter before it. A comment has
    none.

    >>> print(_opens(CsvSyntax(',', '"'), False))
    ^(?:,(\"[^\"]*+(?:\"\"[^\"]*+)*+\"|(?!\")[^,]*+)[\x00-\x20&&[^,]]*+)*+,\"[^\"]*+(?:\"\"[^\"]*+)*+\z
    """
    if syntax.quote is None:
        return _NEVER
    begins = f"(?!{literal_pattern(syntax.separator)} *#)" if comments else ""
    return f"^{begins}(?:{syntax.field})*+{_left_open(syntax, syntax.quote)}\\z"


def _stays_open(syntax: CsvSyntax) -> str:
    r"""The same for a line that begins in quotes.

    >>> print(_stays_open(CsvSyntax(',', '"')))
    ^[^\"]*+(?:\"\"[^\"]*+)*+(?:\"[\x00-\x20&&[^,]]*+(?:,(\"[^\"]*+(?:\"\"[^\"]*+)*+\"|(?!\")[^,]*+)[\x00-\x20&&[^,]]*+)*+,\"[^\"]*+(?:\"\"[^\"]*+)*+)?+\z
    """
    if syntax.quote is None:
        return _NEVER
    closed = f"{literal_pattern(syntax.quote)}[\\x00-\\x20&&[^{literal_pattern(syntax.separator)}]]*+"
    return f"^{syntax.quoted}(?:{closed}(?:{syntax.field})*+{_left_open(syntax, syntax.quote)})?+\\z"


def _left_open(syntax: CsvSyntax, quote: str) -> str:
    return f"{literal_pattern(syntax.separator)}{literal_pattern(quote)}{syntax.quoted}"
