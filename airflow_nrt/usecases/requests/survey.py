"""Which files of a directory run here: what is asked about each, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

from airflow_nrt.model.options.settings import NO_SETTINGS, Settings


@dataclass(frozen=True)
class FileRequest:
    """A Flink script or a PyFlink program, with those of these `settings` that apply to it."""

    question: ClassVar[str] = "file"

    file: Path
    settings: Settings = NO_SETTINGS

    def to_json(self) -> dict[str, Any]:
        return {"file": str(self.file), "settings": self.settings.to_json()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> FileRequest:
        return cls(Path(content["file"]), Settings.from_json(content["settings"]))


class Outcome(Enum):
    """Whether a file runs here, in words."""

    RUNS = "runs"
    DIFFERS = "runs with a difference"
    FAILS = "does not run"
    NO_REPORT = "is no report"


@dataclass(frozen=True)
class FileVerdict:
    """`kind` is the name of a Outcome; `reasons` are the differences, or what is wrong as `file:line:column: message`.

    Raises TypeError for an unknown kind.
    """

    kind: str
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in Outcome.__members__:
            raise TypeError(f"there is no verdict {self.kind[:100]!r}")

    @property
    def of(self) -> Outcome:
        return Outcome[self.kind]
