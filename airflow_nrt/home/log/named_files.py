"""Files that an entry of the log names, so that nothing counts which comes into their directories later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class NamedFile:
    """A file by its name in a directory, with its size in bytes.

    `crc` is the CRC-32 of its content; of a Parquet file, that of its footer, which has the places, the sizes and the
    extremes of all pages. Pages have checksums of their own.
    """

    name: str
    size: int
    crc: int


NamedFiles = Mapping[str, tuple[NamedFile, ...]]
"""By directory below the home, the files in it."""
