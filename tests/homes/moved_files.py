"""Moves what checkpoints say of files in directories, and the checksums that depend on it, to another place.

The heads of inputs are compressed, so that nobody finds a path in them by looking at bytes. The floor has the checksum
of the checkpoint there.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any


def move_files(home: Path, old: bytes, new: bytes) -> None:
    """What lies in a home says `new` where it said `old`."""
    checkpoints, moved = home / "checkpoints", dict[str, tuple[int, int]]()
    for path in checkpoints.glob("*-*.json.gz"):
        unpacking = zlib.decompressobj(wbits=31)
        head = unpacking.decompress(path.read_bytes())
        if old in head:
            content = head.replace(old, new)
            stored = gzip.compress(content, mtime=0) + unpacking.unused_data
            path.write_bytes(stored)
            moved[path.name] = len(stored), zlib.crc32(content)
    if not moved:
        return
    for path in checkpoints.glob("*.json"):
        content = json.loads(path.read_bytes().replace(old, new))
        for file in content.get("checkpoint", content).get("inputs", ()):
            file["size"], file["crc"] = moved.get(file["name"], (file["size"], file["crc"]))
        path.write_bytes(_in_json(content))
    floor = home / "log" / "floor.json"
    if floor.exists():
        content = json.loads(floor.read_bytes())
        floor.write_bytes(_in_json({**content, "crc": zlib.crc32((checkpoints / content["beginning"]).read_bytes())}))


def _in_json(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
