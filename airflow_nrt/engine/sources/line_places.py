"""A line of a file as a person names it: `/data/orders/3.json@12`, counted from 1.

Spark splits files as it likes, so that a row doesn't know the number of its line. It is found by its first characters.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, cast

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.sources.long_lines import LONGEST_HEAD, longest
from airflow_nrt.engine.sources.place import FILE
from airflow_nrt.engine.spark.paths import bare_file, file_uri
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import LINE, Table

_LETTERS = LONGEST_HEAD // 4
"""So many are in each line that was cut, whatever bytes they have."""
_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_BREAK = re.compile(rb"\r\n|\r|\n")


def line_at(table: Table, place: str) -> SkippedRow:
    """The line at a place. Raises InputError if it is not there, or if its rows can't be found by its beginning."""
    if table.format == "parquet":
        raise InputError(f"table {table.name!r}: a row of Parquet can't be left out by its place: write the file again")
    named = re.fullmatch(r"(.+)[@:](\d{1,12})", place)
    if named is None:
        raise InputError(f"table {table.name!r}: {place!r} is no place of a line: write FILE@LINE, as 3.json@12")
    path, number = Path(table.path.removeprefix("file://"), named[1]), int(named[2])
    records = list(_records(table, path))
    text = next((text for line, text in records if line == number), b"")
    if not text:
        raise InputError(f"table {table.name!r}: {path} has no record that begins in line {number}")
    alike = [line for line, other in records if other != text and _head(other) == _head(text)]
    if alike:
        raise InputError(f"table {table.name!r}: lines {number} and {alike[0]} of {path} begin alike: correct the file")
    if len(text) > longest(table) < LONGEST_HEAD:
        raise InputError(f"table {table.name!r}: line {number} of {path} exceeds 'source.max-line-length': raise it")
    return SkippedRow(str(path), number, hashlib.sha256(_head(text)).hexdigest())


def is_skipped_line(rows: Sequence[SkippedRow]) -> str:
    """SQL predicate: a row is of one of these lines.

    >>> print(is_skipped_line([SkippedRow("/t/1.json", 3, "ab12")]))
    ((regexp_replace(_nrt_file, '^file:/+', '/') = '/t/1.json' AND sha2(CAST(left(_nrt_line, 250) AS BINARY), 256) =
    'ab12'))
    """
    head = f"sha2(CAST(left({LINE}, {_LETTERS}) AS BINARY), 256)"
    each = (
        f"({bare_file(FILE)} = {string_literal(file_uri(row.part))} AND {head} = {string_literal(row.head or '')})"
        for row in rows
    )
    return f"({' OR '.join(each)})"


def _head(text: bytes) -> bytes:
    return text[: 4 * _LETTERS].decode(errors="surrogateescape")[:_LETTERS].encode(errors="surrogateescape")


def _records(table: Table, path: Path) -> Iterator[tuple[int, bytes]]:
    """The number of the first line of each record, and its bytes. A record of csv ends where its quotes do."""
    quote = b""
    if table.format == "csv" and not source_option(table.options, "csv.disable-quote-character"):
        quote = source_option(table.options, "csv.quote-character").encode()
    begins, record = 1, b""
    for number, (line, end) in enumerate(_lines(table, path), 1):
        begins = begins if record else number
        record += line
        if quote and record.count(quote) % 2:
            record += end
            continue
        yield begins, record
        record = b""
    yield begins, record


def _lines(table: Table, path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Each line, and its break."""
    opened = cast("Callable[[Path], IO[bytes]]", _OPENERS.get(path.suffix, _plain))
    try:
        with opened(path) as file:
            content = file.read()
    except OSError as wrong:
        raise InputError(f"table {table.name!r}: {path} can't be read: {wrong.strerror or wrong}") from None
    at = 0
    for found in _BREAK.finditer(content):
        yield content[at : found.start()], found[0]
        at = found.end()
    yield content[at:], b""


def _plain(path: Path) -> IO[bytes]:
    return open(path, "rb")
