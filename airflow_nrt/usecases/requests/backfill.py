"""A backfill, and what it has done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.mismatch import ON_MISMATCH, REPAIR, REPORT
from airflow_nrt.describe.verdict import Verdict
from airflow_nrt.files.decoding import decoded
from airflow_nrt.usecases.requests.batch import BatchRequest
from airflow_nrt.usecases.requests.report import ReportInHome


@dataclass(frozen=True)
class BackfillRequest:
    """`on_mismatch` is one of `ON_MISMATCH`: published windows are verified, and this is done about a difference that
    no late row explains. None: the batch result is published over them, and nothing is verified. With `unpin` what is
    published replaces also windows that somebody has set.
    """

    command: ClassVar[str] = "backfill"

    batch: BatchRequest
    on_mismatch: str | None = None
    unpin: bool = False

    def __post_init__(self) -> None:
        """Raises InputError for an open interval, for an `on_mismatch` that is unknown, and for one that publishes
        nothing over windows that are to be unpinned."""
        if self.batch.start is None or self.batch.end is None:
            raise InputError("a backfill needs a start and an end")
        if self.on_mismatch is not None and self.on_mismatch not in ON_MISMATCH:
            raise InputError(f"on_mismatch: {self.on_mismatch!r} is none of {', '.join(ON_MISMATCH)}")
        if self.unpin and self.on_mismatch not in (None, REPAIR):
            raise InputError(
                "unpin publishes over windows that somebody has set: leave verify out, or let on_mismatch be 'repair'"
            )

    @property
    def place(self) -> ReportInHome:
        return self.batch.place

    def arguments(self) -> list[str]:
        """The command line, as `ReportInHome.arguments`."""
        verifying = [] if self.on_mismatch is None else ["--verify", "--on-mismatch", self.on_mismatch]
        return [*self.batch.arguments(), *verifying, *(["--unpin"] if self.unpin else [])]


@dataclass(frozen=True)
class BackfillSummary:
    """What a backfill of `report`, by its name, has done.

    `published_windows` counts window ends. `verdict` is of the final state, None if nothing was verified.
    `unread_files` had arrived and were not read by the stream.
    """

    report: str
    published_windows: int
    notes: tuple[str, ...]
    unread_files: int
    unread_bytes: int
    verdict: Verdict | None

    def satisfies(self, request: BackfillRequest) -> bool:
        """Whether nothing is left to be done about a difference."""
        return self.verdict is None or self.verdict.is_proven or request.on_mismatch == REPORT

    def to_json(self) -> dict[str, Any]:
        """Without the name of the report, which whoever asks knows."""
        return {
            "published_windows": self.published_windows,
            "notes": list(self.notes),
            "unread_files": self.unread_files,
            "unread_bytes": self.unread_bytes,
            "verdict": self.verdict.to_json() if self.verdict else None,
        }

    @classmethod
    def from_json(cls, report: str, content: Mapping[str, Any]) -> BackfillSummary:
        """Raises TypeError for what `to_json` does not give."""
        verdict = content.get("verdict")
        found = decoded({"report": report, **content, "verdict": None}, cls)
        return replace(found, verdict=Verdict.from_json(verdict)) if verdict is not None else found
