"""The result of the demonstration: a table and a last line, computed from the verifier's JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airflow_nrt.describe.verdict import EQUAL, EXPLAINED, UNEXPLAINED

WINDOWS_WANTED = 140
"""A day has 144 windows of ten minutes; those without any order have no rows."""


@dataclass(frozen=True)
class RowCounts:
    """Published rows by their class in a verification."""

    equal: int
    explained: int
    unexplained: int

    @property
    def all(self) -> int:
        return self.equal + self.explained + self.unexplained


def row_counts(verdict: Mapping[str, Any]) -> RowCounts:
    """The rows of all inserts of a verdict."""
    classes = [insert["rows"] for insert in verdict["inserts"]]
    equal, explained = (sum(rows[kind] for rows in classes) for kind in (EQUAL, EXPLAINED))
    return RowCounts(equal, explained, sum(rows[kind] for rows in classes for kind in UNEXPLAINED))


@dataclass(frozen=True)
class Summary:
    """Verdicts of the day as streamed, of a copy with a flipped cell, and of the day after its repair.

    `row_explained`: whether the repair added exactly the late rows of the row that was shown.
    """

    verdict: Mapping[str, Any]
    flipped: Mapping[str, Any]
    flipped_window: str
    kills: int
    repaired: Mapping[str, Any]
    row_explained: bool

    @property
    def flip_found(self) -> bool:
        return not self.flipped["proven"] and self.flipped["unexplained"] == 1

    @property
    def all_equal(self) -> bool:
        """Whether after the repair every row is what the batch computes."""
        rows = row_counts(self.repaired)
        return bool(self.repaired["proven"] and rows.all == rows.equal >= row_counts(self.verdict).all)

    @property
    def holds(self) -> bool:
        """Whether everything that the demonstration promises holds."""
        verdict, rows = self.verdict, row_counts(self.verdict)
        whole = verdict["proven"] and verdict["windows"] >= WINDOWS_WANTED and not rows.unexplained
        found = self.flip_found and self.row_explained and self.all_equal
        return bool(whole and rows.equal > rows.explained >= 1 and found and self.kills == 1)

    def lines(self) -> list[str]:
        verdict, before, after = self.verdict, row_counts(self.verdict), row_counts(self.repaired)
        found = f"yes, in the window that ends at {self.flipped_window}" if self.flip_found else "NO"
        table = [
            ("windows published", verdict["windows"]),
            ("rows published", before.all),
            ("  equal to the batch", before.equal),
            ("  explained by late rows", f"{before.explained}, in {verdict['explained']} windows"),
            ("  unexplained", before.unexplained),
            ("late rows", verdict["late_rows"]),
            ("driver kills", self.kills),
            ("flipped cell found", found),
            ("after the repair", f"all {after.all} rows equal" if self.all_equal else "NOT all rows are equal"),
        ]
        width = max(len(name) for name, _ in table)
        counts = f"{verdict['windows']} windows, {before.equal} rows equal, {before.explained} explained"
        last = f"{counts}, {before.unexplained} unexplained; repaired: {after.equal} of {after.all} equal"
        return ["", *(f"  {name:{width}}  {value}" for name, value in table), "", f"demo: {last}"]
