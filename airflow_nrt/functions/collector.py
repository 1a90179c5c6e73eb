"""What a table aggregate tells its rows to that tells changes of them (FLIP-29: `emitUpdateWithRetract`)."""

from __future__ import annotations

from typing import Any


class RetractableCollector:
    """`collect(row)` gives a row of the result, `retract(row)` takes one back. `rows` are those that stand."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def collect(self, row: Any) -> None:
        self.rows.append(row)

    def retract(self, row: Any) -> None:
        """Raises ValueError if the row does not stand."""
        if row not in self.rows:
            raise ValueError(f"{row!r} is retracted, and was not collected before")
        self.rows.remove(row)
