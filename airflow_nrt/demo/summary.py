"""The result of the demonstration: a table and a last line, computed from the verifier's JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_nrt.basics.instants import format_instant
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
class Flipped:
    """A cell of the window that ends at `window` was changed by hand, and the verification of that window says this."""

    window: str
    verdict: Mapping[str, Any]

    @property
    def is_found(self) -> bool:
        """Whether it names this window, and nothing else."""
        return not self.verdict["proven"] and self.verdict["unexplained"] == 1 and self.named == [self.window]

    @property
    def named(self) -> list[str]:
        return [format_instant(bad["end"]) for insert in self.verdict["inserts"] for bad in insert["bad"]]


@dataclass(frozen=True)
class Summary:
    """Verdicts of the day as streamed, of a flipped cell, and of the day after its repair; and those about archives.

    `late` counts rows of the ledger; `row_explained`: the repair added exactly the late rows of the row that was shown,
    in the window that ends at `window` (ms).
    """

    verdict: Mapping[str, Any]
    flipped: Flipped
    kills: int
    late: int
    repaired: Mapping[str, Any]
    row_explained: bool
    archives: Sequence[Mapping[str, Any]] = ()
    window: int = 0

    @property
    def all_equal(self) -> bool:
        """Whether after the repair every row is what the batch computes."""
        rows = row_counts(self.repaired)
        return bool(self.repaired["proven"] and rows.all == rows.equal >= row_counts(self.verdict).all)

    @property
    def archives_equal(self) -> bool:
        """Whether each archive has the records of its topic."""
        return all(one["is_equal"] and one["equal"] for one in self.archives)

    @property
    def holds(self) -> bool:
        """Whether everything that the demonstration promises holds."""
        verdict, rows = self.verdict, row_counts(self.verdict)
        whole = verdict["proven"] and verdict["windows"] >= WINDOWS_WANTED and not rows.unexplained
        found = self.flipped.is_found and self.row_explained and self.all_equal and self.archives_equal
        return bool(whole and rows.equal > rows.explained >= 1 and found and self.kills == 1)

    def lines(self) -> list[str]:
        verdict, before, after = self.verdict, row_counts(self.verdict), row_counts(self.repaired)
        found = f"yes, in the window that ends at {self.flipped.window}" if self.flipped.is_found else "NO"
        table = [
            ("windows published", verdict["windows"]),
            ("rows published", before.all),
            ("  equal to the batch", before.equal),
            ("  explained by late rows", f"{before.explained}, in {verdict['explained']} windows"),
            ("  unexplained", before.unexplained),
            ("late rows", self.late),
            *(("records of the topic in the archive", _archived(one)) for one in self.archives),
            ("driver kills", self.kills),
            ("flipped cell found", found),
            ("after the repair", f"all {after.all} rows equal" if self.all_equal else "NOT all rows are equal"),
        ]
        width = max(len(name) for name, _ in table)
        counts = f"{verdict['windows']} windows, {before.equal} rows equal, {before.explained} explained"
        last = f"{counts}, {before.unexplained} unexplained; repaired: {after.equal} of {after.all} equal"
        return ["", *(f"  {name:{width}}  {value}" for name, value in table), "", f"demo: {last}"]


def unequal_records(verdict: Mapping[str, Any]) -> int:
    """The records of an archive's verdict that are not in both, or not the same."""
    return int(verdict["missing"] + verdict["extra"] + verdict["different"])


def _archived(verdict: Mapping[str, Any]) -> str:
    return f"{verdict['equal']} equal, {unequal_records(verdict)} not"
