"""The contents of published files: their checksums, and whether two are the same."""

from __future__ import annotations

import filecmp
import hashlib
from pathlib import Path

_AT_ONCE = 1024 * 1024


def checksum_of(file: Path) -> str:
    """BLAKE2b of the content, in 32 hexadecimal digits. The content may be larger than the memory."""
    digest = hashlib.blake2b(digest_size=16)
    with open(file, "rb") as content:
        while piece := content.read(_AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()


def is_same(one: Path, other: Path) -> bool:
    """Whether both files are there and have the same content."""
    try:
        return filecmp.cmp(one, other, shallow=False)
    except FileNotFoundError:
        return False
