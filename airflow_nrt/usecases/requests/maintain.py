"""A maintenance of the tables of a lakehouse and of the history in the home, and what it has done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.files.decoding import decoded
from airflow_nrt.usecases.requests.report import ReportInHome

KEPT = "7 d"


@dataclass(frozen=True)
class MaintainRequest:
    """`keep` is the duration of the tables' history that stays, as `7 d`; the report says how long that of the home
    stays. With `dry_run` nothing is changed."""

    command: ClassVar[str] = "maintain"

    place: ReportInHome
    keep: str = KEPT
    dry_run: bool = False

    def __post_init__(self) -> None:
        """Raises InputError for a text that is no duration."""
        try:
            parse_duration(self.keep)
        except ValueError as wrong:
            raise InputError(f"--keep: {wrong}") from None

    def arguments(self) -> list[str]:
        """The command line, as `ReportInHome.arguments`."""
        return [*self.place.arguments(), "--keep", self.keep, *(["--dry-run"] if self.dry_run else [])]


@dataclass(frozen=True)
class CompactedTable:
    """The numbers of files of a table's newest version."""

    files_before: int
    files_after: int


@dataclass(frozen=True)
class KeptHistory:
    """The history of a home afterwards: its entries from `first_entry` on.

    So many entries and `bytes` were removed, or would be; the last one removed was written at `removed_until` (ms of
    the wall clock; None: none ever was). Windows that begin at or after `provable_from` (ms of the report's clock) can
    be proven, all if nothing was removed; None: none can. `held` says why older entries stay.
    """

    first_entry: int = 0
    removed: int = 0
    bytes: int = 0
    removed_until: int | None = None
    provable_from: int | None = None
    held: str | None = None


@dataclass(frozen=True)
class MaintainResult:
    """The tables, by insert, and the history of the home."""

    tables: Mapping[str, CompactedTable]
    history: KeptHistory = field(default_factory=KeptHistory)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> MaintainResult:
        """Raises TypeError for what `to_json` does not give."""
        return decoded(content, cls)
