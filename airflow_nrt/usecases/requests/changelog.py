"""What a report has made visible, replaced and removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from airflow_nrt.home.log.history.sink_history import Change


@dataclass(frozen=True)
class ChangelogRequest:
    """The location of the home, and the `group` that shares it. `rows`: also changes of rows, where files hold them."""

    home: str
    group: str | None = None
    rows: bool = False


@dataclass(frozen=True)
class RowChange:
    """A row that was emitted, or retracted."""

    is_added: bool
    row: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """It in the format of debezium-json."""
        if self.is_added:
            return {"before": None, "after": self.row, "op": "c"}
        return {"before": self.row, "after": None, "op": "d"}


@dataclass(frozen=True)
class WindowChange:
    """A change of a window; `rows` are its changes of rows, None if nobody asked.

    It `waits` as long as its sink lacks it: the log has decided it, and no reader can see it.
    """

    change: Change
    rows: Sequence[RowChange] | None = None
    waits: bool = False

    def to_json(self) -> dict[str, Any]:
        rows = {} if self.rows is None else {"rows_changed": [row.to_json() for row in self.rows]}
        of_window = asdict(self.change.published)
        return {
            "entry": self.change.entry,
            "time": self.change.time,
            "op": self.change.op,
            "waiting": self.waits,
            **of_window,
            **rows,
        }
