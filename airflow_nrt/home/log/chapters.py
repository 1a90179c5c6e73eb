"""Old entries of a log in few files: a chapter holds a fixed range of entries, one per line, and replaces their files.

    0-127.jsonl   128-255.jsonl   256.json   257.json …

A chapter appears whole before the files that it replaces are deleted: so each entry is always there, sometimes twice.
Where both exist, the chapter counts: a writer that slept may create a file for an entry that is in a chapter already.
Later a volume replaces chapters (`volumes.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import counted
from airflow_nrt.files.decoding import parse_json
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.private_files import MOST_BYTES
from airflow_nrt.home.store.store_path import StorePath

CHAPTER = 128
KEPT = 128
"""How many of the last entries remain files of their own."""
_MOST_BYTES = 16 * MOST_BYTES
_SUFFIXES = (".json", ".jsonl", ".jsonl.gz", ".jsonl.xz")
"""Of entries, chapters and volumes."""


def chapter_of(directory: StorePath, n: int) -> StorePath:
    """The path of the chapter that holds entry `n`."""
    first = n - n % CHAPTER
    return directory / f"{first}-{first + CHAPTER - 1}.jsonl"


def read_chapter(path: StorePath) -> list[bytes] | None:
    """Its entries in order, None if it is not there. Raises HomeError if it is not whole."""
    try:
        lines = path.read(_MOST_BYTES).splitlines()
    except FileNotFoundError:
        return None
    if len(lines) != CHAPTER:
        raise HomeError(f"{path} is not readable: it has {counted(len(lines), 'entry')}, not {CHAPTER}")
    return lines


def last_entry(directory: StorePath) -> int:
    """The number of the last entry, -1 if there is none."""
    names = (name for name in directory.names() if name.endswith(_SUFFIXES))
    numbers = (number_of(name.partition(".")[0].rpartition("-")[2]) for name in names)
    return max((number for number in numbers if number is not None), default=-1)


def bind_chapters(directory: StorePath, last: int, has_moved: Callable[[int], bool]) -> None:
    """Moves full ranges of entries up to `last` into chapters, except the newest ones.

    `has_moved` says of an entry whether it is in a chapter already, or in what replaces it.
    Raises HomeError at an entry that is not readable, or not there.
    """
    named = {number_of(path.stem): path for path in directory.below(".json")}
    singles = {number: path for number, path in named.items() if number is not None}
    for first in sorted({n - n % CHAPTER for n in singles}):
        if first + CHAPTER > last + 1 - KEPT:
            return
        numbers = range(first, first + CHAPTER)
        chapter = chapter_of(directory, first)
        if not has_moved(first):
            try:
                content = b"".join(_line(directory / f"{n}.json", n) for n in numbers)
            except HomeError:
                # Unless another driver, which binds at the same time, has removed the files of the entries.
                if not has_moved(first):
                    raise
            else:
                chapter.put_if_absent(content)
        for n in numbers:
            if n in singles:
                singles[n].delete()


def _line(path: StorePath, n: int) -> bytes:
    try:
        content = path.read().strip()
        if b"\n" in content or parse_json(content)["n"] != n:
            raise ValueError("it is not one line with its number")
    except (OSError, ValueError, LookupError, TypeError) as wrong:
        raise HomeError(f"log entry {path} is not readable: {wrong}") from None
    return content + b"\n"
