"""Errors in the text of a report: they carry the place and show the line."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.report.errors import InputError


@dataclass(frozen=True)
class Place:
    """A place in a script: line and column from 1, and the offset from 0."""

    line: int
    column: int
    offset: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class SqlError(InputError):
    """Something is wrong with the SQL at a place of the script."""

    def __init__(self, message: str, at: Place, script: str | None = None) -> None:
        self.message = message
        self.at = at
        self.script = script
        super().__init__(message)

    def __str__(self) -> str:
        text = f"{self.at}: {self.message}"
        if self.script is None:
            return text
        lines = self.script.splitlines()
        if not 1 <= self.at.line <= len(lines):
            return text
        return f"{text}\n    {lines[self.at.line - 1]}\n    {' ' * (self.at.column - 1)}^"


class NotThereYet(SqlError):
    """Flink has it, this project does not have it yet (`docs/sql.md` lists these)."""

    def __init__(self, what: str, at: Place, instead: str = "") -> None:
        super().__init__(f"{what}: not there yet{'; ' + instead if instead else ''}", at)
