"""A maintenance of the tables of a lakehouse, and what it has done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.files.decoding import decoded
from airflow_nrt.usecases.requests.report import ReportInHome

KEPT = "7 d"


@dataclass(frozen=True)
class MaintainRequest:
    """`keep` is the duration of the tables' history that stays, as `7 d`."""

    command: ClassVar[str] = "maintain"

    place: ReportInHome
    keep: str = KEPT

    def __post_init__(self) -> None:
        """Raises InputError for a text that is no duration."""
        try:
            parse_duration(self.keep)
        except ValueError as wrong:
            raise InputError(f"--keep: {wrong}") from None

    def arguments(self) -> list[str]:
        """The command line, as `ReportInHome.arguments`."""
        return [*self.place.arguments(), "--keep", self.keep]


@dataclass(frozen=True)
class CompactedTable:
    """The numbers of files of a table's newest version."""

    files_before: int
    files_after: int


@dataclass(frozen=True)
class MaintainResult:
    """The tables, by insert."""

    tables: Mapping[str, CompactedTable]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> MaintainResult:
        """Raises TypeError for what `to_json` does not give."""
        return decoded(content, cls)
