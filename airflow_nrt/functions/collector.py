"""The collector of a table aggregate that emits changes of its rows (FLIP-29: `emitUpdateWithRetract`)."""

from __future__ import annotations

from typing import Any


class RetractableCollector:
    """`collect(row)` emits a row of the result, `retract(row)` retracts one. `rows` are those emitted and not
    retracted."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def collect(self, row: Any) -> None:
        self.rows.append(row)

    def retract(self, row: Any) -> None:
        """Raises ValueError if the row was not emitted, or is retracted already."""
        if row not in self.rows:
            raise ValueError(f"{row!r} is retracted, and was not collected before")
        self.rows.remove(row)
