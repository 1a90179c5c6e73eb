"""Records of csv that go over several lines, as a quoted field may hold line breaks (docs/decisions/21-csv-records.md).

Only a file that holds the quote at all is read so: the driver looks. Each line says how it ends, in quotes or not, for
both ways in which it can begin; what it does end with follows from all lines before it in the file.

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
from airflow_nrt.engine.sources.csv import field_pattern, literal_pattern, quoted_pattern
from airflow_nrt.engine.sources.long_lines import cut_sql, is_cut, longest
from airflow_nrt.home.log.entries import SourceFile
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import LINE, Table

_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")
_AT_ONCE = 1 << 20
_LOOKERS = 8
"""Files that are looked through at a time: what is far away is waited for together."""
_BREAK = "(?:\\r\\n|\\r|\\n)"
"""Hadoop ends a line at each of them; read up to \\n alone, a line still has its own."""
_PIECE = f"[^\\r\\n]*{_BREAK}"


def by_quotes(files: Sequence[SourceFile], table: Table) -> tuple[list[SourceFile], list[SourceFile]]:
    """The files whose records are lines, and those whose records may go over several."""
    with ThreadPoolExecutor(_LOOKERS) as pool:
        looked = list(zip(files, pool.map(lambda file: _holds_quotes(file, table), files)))
    return [file for file, quoted in looked if not quoted], [file for file, quoted in looked if quoted]


def _holds_quotes(file: SourceFile, table: Table) -> bool:
    """Of a compressed one it is not known; Spark reports what can't be read."""
    if source_option(table.options, "csv.disable-quote-character"):
        return False
    if file.path.endswith(_COMPRESSED):
        return True
    return _has_byte(file, source_option(table.options, "csv.quote-character").encode()[:1])


@lru_cache(maxsize=100_000)
def _has_byte(file: SourceFile, byte: bytes) -> bool:
    """Looked for once, as long as the file stays what it is: several queries may read it."""
    try:
        with open(file.path, "rb", buffering=0) as content:
            return any(byte in part for part in iter(lambda: content.read(_AT_ONCE), b""))
    except OSError:
        return False


def whole_records(lines: DataFrame, table: Table, file: str, block: str, index: str) -> DataFrame:
    """Lines that end with \\n and hold any other break, to records. `file`, `block` and `index` say where a line stood;
    of a record they are the file, 0, and its number in it."""
    separator, mark = (source_option(table.options, f"csv.{name}") for name in ("field-delimiter", "quote-character"))
    opens = _opens(separator, mark, source_option(table.options, "csv.allow-comments"))
    others = [quote(name) for name in lines.columns if name not in (LINE, block, index)]
    # A pattern would make text of what is none.
    parted = f"regexp_extract_all(concat({LINE}, '\\n'), {string_literal(_PIECE)}, 0)"
    pieces = f"posexplode(IF(is_valid_utf8({LINE}), {parted}, array({LINE})))"
    # Of a line that was cut nobody knows how it ended: the next one begins anew.
    whole = f"NOT {is_cut()}"
    ways = lines.selectExpr(*others, block, index, f"{pieces} AS (_nrt_piece, {LINE})").selectExpr(
        "*",
        f"{whole} AND concat({string_literal(separator)}, {LINE}) RLIKE {string_literal(opens)} AS _nrt_outside",
        f"{whole} AND {LINE} RLIKE {string_literal(_stays_open(separator, mark))} AS _nrt_inside",
    )
    so_far = Window.partitionBy(file).orderBy(block, index, "_nrt_piece")
    turned = F.sum(F.expr("IF(_nrt_outside AND NOT _nrt_inside, 1, 0)")).over(so_far)
    ways = ways.withColumn("_nrt_turned", turned)
    fixed = F.expr("IF(_nrt_outside = _nrt_inside, IF(_nrt_outside, 1, 0) - _nrt_turned, NULL)")
    ways = ways.withColumn("_nrt_fixed", F.last(fixed, ignorenulls=True).over(so_far))
    ways = ways.withColumn("_nrt_open", F.expr("pmod(coalesce(_nrt_fixed, 0) + _nrt_turned, 2)"))
    begins = F.lit(1) - F.lag("_nrt_open", 1, 0).over(so_far)
    ways = ways.withColumn("_nrt_begins", begins).withColumn("_nrt_record", F.sum("_nrt_begins").over(so_far))
    # A quote that nobody closes makes a record of all that follows: what is beyond the limit is not held.
    ways = ways.withColumn("_nrt_to", F.sum(F.expr(f"octet_length({LINE})")).over(so_far))
    starts = F.expr(f"IF(_nrt_begins = 1, _nrt_to - octet_length({LINE}), NULL)")
    ways = ways.withColumn("_nrt_size", F.col("_nrt_to") - F.last(starts, ignorenulls=True).over(so_far))
    limit = longest(table)
    held = F.when(F.col("_nrt_size") <= limit, F.struct(block, index, "_nrt_piece", LINE))
    parts, size = F.array_sort(F.collect_list(held)), F.max("_nrt_size")
    records = ways.groupBy(*others, "_nrt_record").agg(parts.alias("_nrt_parts"), size.alias("_nrt_size"))
    joined = f"array_join(transform(_nrt_parts, part -> part.{LINE}), '')"
    unbroken = f"regexp_replace({joined}, {string_literal(_BREAK + chr(92) + 'z')}, '')"
    text = f"IF(is_valid_utf8({joined}), {unbroken}, {joined})"
    # A reader of the rows finds them in their order.
    return records.selectExpr(
        *others,
        f"IF(_nrt_size > {limit}, {cut_sql(joined, '_nrt_size', limit)}, {text}) AS {LINE}",
        f"0L AS {block}",
        f"_nrt_record AS {index}",
    ).sortWithinPartitions(file, index)


def _opens(separator: str, character: str, comments: bool) -> str:
    """The end of a line in quotes, which began outside of them; the delimiter stands in front. A comment opens none."""
    begins = f"(?!{literal_pattern(separator)} *#)" if comments else ""
    return f"^{begins}(?:{field_pattern(separator, character)})*+{_left_open(separator, character)}\\z"


def _stays_open(separator: str, character: str) -> str:
    """The same of a line that began in quotes."""
    closed = f"{literal_pattern(character)}[\\x00-\\x20&&[^{literal_pattern(separator)}]]*+"
    again = f"{closed}(?:{field_pattern(separator, character)})*+{_left_open(separator, character)}"
    return f"^{quoted_pattern(character)}(?:{again})?+\\z"


def _left_open(separator: str, character: str) -> str:
    return f"{literal_pattern(separator)}{literal_pattern(character)}{quoted_pattern(character)}"
