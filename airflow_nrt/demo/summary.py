"""How the demonstration ended: a table and a last line, computed from the verifier's JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WINDOWS_WANTED = 140
"""A day has 144 windows of ten minutes; those without any order have no rows."""


@dataclass(frozen=True)
class Summary:
    """`verdict` is the backfill's verification, `flipped` that of the copy with a flipped cell."""

    verdict: Mapping[str, Any]
    flipped: Mapping[str, Any]
    flipped_window: str
    kills: int

    @property
    def flip_found(self) -> bool:
        return not self.flipped["proven"] and self.flipped["unexplained"] == 1

    @property
    def holds(self) -> bool:
        """Whether everything that the demonstration promises is so."""
        verdict = self.verdict
        whole = verdict["proven"] and verdict["windows"] >= WINDOWS_WANTED and not verdict["unexplained"]
        return bool(whole and verdict["explained"] >= 1 and self.flip_found and self.kills == 1)

    def lines(self) -> list[str]:
        verdict = self.verdict
        found = f"yes, in the window that ends at {self.flipped_window}" if self.flip_found else "NO"
        rows = [
            ("windows published", verdict["windows"]),
            ("equal to the batch", verdict["equal"]),
            ("explained by late rows", f"{verdict['explained']} ({verdict['late_rows']} late rows)"),
            ("pending", verdict["pending"]),
            ("unexplained", verdict["unexplained"]),
            ("driver kills", self.kills),
            ("flipped cell found", found),
        ]
        width = max(len(name) for name, _ in rows)
        table = [f"  {name:{width}}  {value}" for name, value in rows]
        counts = f"{verdict['windows']} windows, {verdict['equal']} equal, {verdict['explained']} explained"
        return ["", *table, "", f"demo: {counts}, {verdict['unexplained']} unexplained"]
