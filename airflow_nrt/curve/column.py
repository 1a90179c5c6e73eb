"""The column of an insert's windows that a curve shows."""

from __future__ import annotations

from airflow_nrt.home.outline import InsertOutline


class ColumnOfWindows:
    """What a curve says of itself, from wherever its values are read."""

    insert: InsertOutline
    column: str

    @property
    def title(self) -> str:
        assert self.insert.window is not None
        return f"{self.column} of {self.insert.name}, {self.insert.window.text}"

    @property
    def stride(self) -> int:
        """The distance of the windows' ends in ms."""
        assert self.insert.window is not None
        return self.insert.window.stride

    @property
    def scale(self) -> int | None:
        """That of a DECIMAL."""
        return self.insert.scales.get(self.column)
