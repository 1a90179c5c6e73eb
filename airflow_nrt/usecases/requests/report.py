"""Which report is meant, and where it works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from airflow_nrt.model.options.settings import NO_SETTINGS, Settings

DEFAULT_MASTER = "local[*]"


@dataclass(frozen=True)
class ReportRequest:
    """`report` is a file of Flink SQL, a Python program, or `[DIR/]module:function`.

    Relative paths of its tables start at `base`, by default at the report's directory.
    """

    report: str
    settings: Settings = NO_SETTINGS
    base: Path | None = None

    def to_json(self) -> dict[str, Any]:
        base = None if self.base is None else str(self.base)
        return {"report": self.report, "settings": self.settings.to_json(), "base": base}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ReportRequest:
        base = content["base"]
        return cls(content["report"], Settings.from_json(content["settings"]), None if base is None else Path(base))


@dataclass(frozen=True)
class ReportInHome:
    """A report and the location of its home, on a Spark master. `group` shares the home, by name or id."""

    report: ReportRequest
    home: str
    group: str | None = None
    master: str = DEFAULT_MASTER

    def arguments(self) -> list[str]:
        """The command line of a command that prints its result as JSON; settings are not in it, as others can read it.

        `report.sql --base /reports --home /homes/curve --master local[*] --json`
        """
        base = [] if self.report.base is None else ["--base", str(self.report.base)]
        group = [] if self.group is None else ["--group", self.group]
        return [self.report.report, *base, "--home", self.home, "--master", self.master, "--json", *group]


class CommandRequest(Protocol):
    """A request that a command line can carry to another process."""

    command: ClassVar[str]

    @property
    def place(self) -> ReportInHome: ...

    def arguments(self) -> list[str]:
        """What follows the command, as `ReportInHome.arguments`."""
