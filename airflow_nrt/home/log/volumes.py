"""Old chapters of a log in few compressed files: a volume holds a fixed range of entries, and replaces their chapters.

    0-8191.jsonl.xz   8192-8319.jsonl   8320-8447.jsonl   …   16384.json   16385.json   …

It replaces chapters as these replace entries (`chapters.py`): it appears whole before the chapters go, and where both
exist, the volume counts.

Its lines are packed (`packing.py`), and compressed by LZMA, whose window holds hundreds of entries: each repeats most
of the one before it. Earlier versions wrote lines that are not packed, and `.jsonl.gz`: both are read.
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator
from io import BytesIO

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import counted
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.private_files import MOST_BYTES
from airflow_nrt.home.log.chapters import CHAPTER, chapter_of, read_chapter
from airflow_nrt.home.log.packing import packed, unpacked
from airflow_nrt.home.store.store_path import StorePath

VOLUME = 64 * CHAPTER
"""Entries of a volume, which are those between two checkpoints."""
_MOST_BYTES = 64 * MOST_BYTES
OLDER, NEWER = ".gz", ".xz"
"""The endings of volumes."""
_PRESET = 2
"""Of packed lines stronger ones make 2 % less, in three times its time, for which a driver takes no batch."""


def volume_of(directory: StorePath, n: int) -> StorePath:
    """The path of the volume that holds entry `n`, or would hold it."""
    first = n - n % VOLUME
    path = directory / f"{first}-{first + VOLUME - 1}.jsonl"
    older = directory / f"{path.name}{OLDER}"
    return older if older.exists() else directory / f"{path.name}{NEWER}"


def is_volume(path: StorePath) -> bool:
    return path.name.endswith((OLDER, NEWER))


def read_volume(path: StorePath) -> list[bytes] | None:
    """Its entries in order, None if it is not there. Raises HomeError if it is not whole."""
    opened = gzip.open if path.name.endswith(OLDER) else lzma.open
    try:
        with opened(BytesIO(path.read(_MOST_BYTES))) as file:
            lines = unpacked(file.read(_MOST_BYTES)).splitlines()
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as wrong:
        raise HomeError(f"{path} is not readable: {wrong}") from None
    if len(lines) != VOLUME:
        raise HomeError(f"{path} is not readable: it has {counted(len(lines), 'entry')}, not {VOLUME}")
    return lines


def bind_volume(directory: StorePath, last: int) -> bool:
    """Moves the oldest full range of chapters into a volume, except the newest range up to `last`. Gives whether there
    was one.

    Raises HomeError at a chapter that is not readable, or not there.
    """
    first = next(iter(sorted(_ranges_in_chapters(directory))), None)
    if first is None or first + 2 * VOLUME > last + 1:
        return False
    volume = volume_of(directory, first)
    if not volume.exists():
        try:
            content = b"".join(_lines(directory, n) for n in range(first, first + VOLUME, CHAPTER))
        except HomeError:
            # Unless another driver, which binds at the same time, has removed the chapters.
            if not volume.exists():
                raise
        else:
            volume.put_if_absent(lzma.compress(packed(content), preset=_PRESET))
    if read_volume(volume) is not None:
        for n in range(first, first + VOLUME, CHAPTER):
            chapter_of(directory, n).delete()
    return True


def _ranges_in_chapters(directory: StorePath) -> Iterator[int]:
    for path in directory.below(".jsonl"):
        first = number_of(path.stem.partition("-")[0])
        if first is not None:
            yield first - first % VOLUME


def _lines(directory: StorePath, n: int) -> bytes:
    path = chapter_of(directory, n)
    lines = read_chapter(path)
    if lines is None:
        raise HomeError(f"log entries {n} to {n + CHAPTER - 1} are not readable: {path} is missing")
    return b"".join(line + b"\n" for line in lines)
