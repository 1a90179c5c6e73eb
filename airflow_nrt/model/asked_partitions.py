"""The partitions of a table that its readers ask for. A batch reads no others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class PartitionFilter:
    """A condition on partition columns alone: as Spark SQL, and as the report writes it."""

    sql: str
    text: str


def any_of(filters: Iterable[PartitionFilter | None]) -> PartitionFilter | None:
    """The union of these filters; None if one reader asks for all partitions."""
    asked: list[PartitionFilter] = []
    for one in filters:
        if one is None:
            return None
        if one not in asked:
            asked.append(one)
    if len(asked) < 2:
        return asked[0] if asked else None
    return PartitionFilter(" OR ".join(f"({one.sql})" for one in asked), " OR ".join(f"({one.text})" for one in asked))
