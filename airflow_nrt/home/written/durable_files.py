"""The files that an entry names: durable before the entry is, and what they were when it is read.

So a power failure leaves no entry without its files, and a file that changed is noticed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from io import SEEK_END
from typing import BinaryIO

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.log.named_files import NamedFile, NamedFiles
from airflow_nrt.home.store.store_path import StorePath

PARQUET, TEXT = ".parquet", ".txt"
_ENDINGS = (PARQUET, TEXT)
_MAGIC, _TAIL, _AT_ONCE = b"PAR1", 8, 1 << 20


def make_durable(home: Home, published: Iterable[Published], written: NamedFiles | None = None) -> None:
    """Makes staged results durable, and files of the home by directory. Raises OSError."""
    files = [f"{directory}/{file.name}" for directory, some in (written or {}).items() for file in some]
    staged = [one.staged for one in published if one.rows]
    if files or staged:
        home.root.store.sync([*files, *staged])


def written_in(directory: StorePath) -> tuple[NamedFile, ...]:
    """The files that were just written into a directory, by whatever wrote them. Raises OSError."""
    return tuple(_written(path) for path in directory.below() if path.name.endswith(_ENDINGS))


def check_written(directory: StorePath, files: Sequence[NamedFile]) -> None:
    """Raises HomeError if one of the files is not there, or is not what was written."""
    for file in files:
        path = directory / file.name
        try:
            found = _written(path)
        except (OSError, ValueError) as wrong:
            raise damaged(path, str(wrong)) from None
        if found != file:
            raise damaged(path, f"it has {found.size} bytes and CRC-32 {found.crc:08x}")


def damaged(path: object, why: str) -> HomeError:
    """The error of a file of the home, by its location, that is not what was written there."""
    return HomeError(
        f"{path} is not what an entry of the log says ({why}): put it back from a copy of the home, made when no "
        "driver ran. Without a copy, start the report in a new home and backfill it"
    )


def _written(path: StorePath) -> NamedFile:
    with path.open() as file:
        size = file.seek(0, SEEK_END)
        file.seek(_footer_at(file, size) if path.name.endswith(PARQUET) else 0)
        crc = 0
        while piece := file.read(_AT_ONCE):
            crc = zlib.crc32(piece, crc)
    return NamedFile(path.name, size, crc)


def _footer_at(file: BinaryIO, size: int) -> int:
    file.seek(max(size - _TAIL, 0))
    tail = file.read(_TAIL)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length + _TAIL > size:
        raise ValueError("it is no Parquet file")
    return size - _TAIL - length
