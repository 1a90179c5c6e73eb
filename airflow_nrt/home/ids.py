"""A home's id: pages and links identify it without its path."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def home_id(path: str | Path) -> str:
    """32 hexadecimal digits, the same for all paths of one directory, on all hosts that have it at the same
    location."""
    return hashlib.blake2b(os.path.realpath(path).encode(errors="surrogateescape"), digest_size=16).hexdigest()
