"""Which partitions of a table its readers ask for: the others need not be read where all rows are there already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class PartitionFilter:
    """A condition on partition columns alone: as Spark SQL, and as the report writes it."""

    sql: str
    text: str


def any_of(filters: Iterable[PartitionFilter | None]) -> PartitionFilter | None:
    """What one of these readers asks for; None if one asks for all partitions."""
    asked: list[PartitionFilter] = []
    for one in filters:
        if one is None:
            return None
        if one not in asked:
            asked.append(one)
    if len(asked) < 2:
        return asked[0] if asked else None
    return PartitionFilter(" OR ".join(f"({one.sql})" for one in asked), " OR ".join(f"({one.text})" for one in asked))
