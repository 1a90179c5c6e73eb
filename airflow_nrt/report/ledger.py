"""The late ledger and the reject list in a home: a directory a commit, JSON lines that a person can read with `cat`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LATE_PREFIX, REJECTED = "late-", "rejected"
"""Below the directory of a commit: `late-<operator>/` and `rejected/`."""


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records in one of these directories."""
    for file in sorted(path.glob("part-*.txt")):
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
