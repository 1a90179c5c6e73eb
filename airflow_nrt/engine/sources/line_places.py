"""A line of a file as a person names it: `/data/orders/3.json@12`, counted from 1.

Spark splits files as it likes, so that a row doesn't know the number of its line. It is found by the first bytes of the
line, which only one line of the file may have. Spark's reader has the last word: it must find the row by them.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, cast

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.sources.place import FILE
from airflow_nrt.engine.spark.paths import bare_file, file_uri
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import LINE, Table

_BYTES = 250
"""So many are in each line that was cut, unless a limit of lines is less."""
_AT_ONCE = 1 << 20
_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_UNKNOWN = (".zst", ".lz4", ".snappy", ".deflate")
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError)
_MARK = b"\xef\xbb\xbf"
"""Some programs begin a file with it. Spark's reader leaves it out."""


def line_at(table: Table, files: Iterable[SourceFile], place: str) -> SkippedRow:
    """The line at a place in one of the table's files. Raises InputError if there is none that can be told apart."""
    named = re.fullmatch(r"(.+)[@:](\d{1,12})", place)
    if named is None:
        raise InputError(f"table {table.name!r}: {place!r} is no place of a line: write FILE@LINE, as 3.json@12")
    path, number = os.path.normpath(Path(table.path.removeprefix("file://"), named[1])), int(named[2])
    if not any(file.path == path for file in files):
        raise InputError(f"table {table.name!r} has no file {path}")
    if table.format == "parquet" or path.endswith(_UNKNOWN):
        raise InputError(f"table {table.name!r}: {path} has no lines by which a row can be named: write the file again")
    try:
        head = next((head for n, head in enumerate(_heads(path), 1) if n == number), b"")
        alike = [n for n, other in enumerate(_heads(path), 1) if head and other == head and n != number]
    except _BROKEN as wrong:
        raise InputError(f"table {table.name!r}: {path} can't be read: {wrong}") from None
    if not head:
        raise InputError(f"table {table.name!r}: {path} has no row in line {number}")
    if alike:
        raise InputError(f"table {table.name!r}: lines {number} and {alike[0]} of {path} begin alike: correct the file")
    return SkippedRow(path, number, hashlib.sha256(head).hexdigest())


def is_skipped_line(rows: Sequence[SkippedRow]) -> str:
    r"""SQL predicate: a row is of one of these lines. A record of csv may go over several, of which the first counts.

    >>> print(is_skipped_line([SkippedRow("/t/1.json", 3, "ab12")]))
    ((regexp_replace(_nrt_file, '^file:/+', '/') = '/t/1.json' AND
    sha2(left(CAST(substring_index(substring_index(_nrt_line, '\n', 1), '\r', 1) AS BINARY), 250), 256) = 'ab12'))
    """
    first = f"substring_index(substring_index({LINE}, '\\n', 1), '\\r', 1)"
    head = f"sha2(left(CAST({first} AS BINARY), {_BYTES}), 256)"
    each = (
        f"({bare_file(FILE)} = {string_literal(file_uri(row.part))} AND {head} = {string_literal(row.head or '')})"
        for row in rows
    )
    return f"({' OR '.join(each)})"


def _heads(path: str) -> Iterator[bytes]:
    """The first bytes of each line. Raises what the libraries of compressed files raise."""
    opened = cast("Callable[[IO[bytes]], IO[bytes]]", _OPENERS.get(Path(path).suffix, _plain))
    # A pipe would wait for whoever writes it.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is no regular file")
        # Latin-1 has a letter for each byte.
        with io.TextIOWrapper(opened(file), encoding="latin-1", newline=None) as lines:
            begins = _MARK
            while head := lines.readline(_BYTES + len(begins)):
                rest = head
                while rest and not rest.endswith("\n"):
                    rest = lines.readline(_AT_ONCE)
                yield head.rstrip("\n").encode("latin-1").removeprefix(begins)[:_BYTES]
                begins = b""


def _plain(file: IO[bytes]) -> IO[bytes]:
    return file
