"""A row of a source that a person has asked to leave out, because it can't be read and can't be corrected."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SkippedRow:
    """A record of a topic: its partition (`orders-0`) and its offset. Or a line of a file: its path and its number
    from 1. `head` is then the SHA-256 of its first bytes, by which it is found however the file is split."""

    part: str
    number: int
    head: str | None = None

    def __str__(self) -> str:
        return f"{self.part}@{self.number}"
