"""A home's id: how pages and links name it without its path."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def home_id(path: str | Path) -> str:
    """32 hexadecimal digits, the same for all paths of one directory on hosts that have it at the same place."""
    return hashlib.blake2b(os.path.realpath(path).encode(errors="surrogateescape"), digest_size=16).hexdigest()
