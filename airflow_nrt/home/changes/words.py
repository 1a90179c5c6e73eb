"""A comparison as text, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from airflow_nrt.home.changes.comparison import Comparison, InsertChange
from airflow_nrt.home.changes.kinds import MetadataAlone


def comparison_lines(comparison: Comparison) -> list[str]:
    """A line for each insert, with the differences below it.

    curve: recomputed from 2024-06-18 10:00:00 on, about 12,000 rows and 4 minutes (…)
      gmv: SUM(price) -> SUM(price * qty)
    by_shop: as it was
    """
    return list(_lines(comparison))


def refused_lines(comparison: Comparison) -> list[str]:
    """The inserts for which a home refuses the report."""
    return [line for one in comparison.refused for line in _of_insert(one)]


def as_json(comparison: Comparison) -> dict[str, Any]:
    inserts = [
        {
            "insert": one.name,
            **one.kind.to_json(),
            "accepted": one.kind.accepted,
            "text": str(one.kind),
            "changes": [str(detail) for detail in one.details],
        }
        for one in comparison.inserts
    ]
    return {
        "report": comparison.report,
        "inserts": inserts,
        "settings": [str(detail) for detail in comparison.of_report],
        "respelled": comparison.respelled,
    }


def _lines(comparison: Comparison) -> Iterator[str]:
    for one in comparison.inserts:
        yield from _of_insert(one)
    if comparison.of_report:
        yield f"settings: {MetadataAlone()}"
        yield from _indented(comparison.of_report)
    if comparison.respelled:
        yield "the text: metadata alone: it is spelled otherwise, and means the same"


def _of_insert(change: InsertChange) -> Iterator[str]:
    yield f"{change.name}: {change.kind}"
    yield from _indented(change.details)


def _indented(details: Iterable[object]) -> Iterator[str]:
    return (f"  {detail}" for detail in details)
