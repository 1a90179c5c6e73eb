"""A fault: a text of the product, the text that it is replaced by, and the tests that should find that."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
AREAS = ("windows", "lateness", "log", "publish", "verify", "sinks", "sources", "planner", "operators", "page")
_LISTS = Path(__file__).parent / "faults"


@dataclass(frozen=True)
class Fault:
    """`before` stands once in `file`, and `after` takes its place. `few`: fewer than ten tests of the suite found it
    when it was planted. `harm` says what a user would notice."""

    area: str
    name: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]
    few: bool
    harm: str

    def in_text(self, text: str) -> str:
        """The text of the file with the fault. Raises ValueError if the place is not there, or there several times."""
        found = text.count(self.before)
        if found != 1:
            raise ValueError(f"{self.name}: {self.file} has its text {found} times, and not once: port it by hand")
        return text.replace(self.before, self.after)


def all_faults() -> list[Fault]:
    """The faults of `faults/*.toml`, area by area."""
    return [fault for area in AREAS for fault in _of_area(area)]


def _of_area(area: str) -> list[Fault]:
    listed = tomllib.loads((_LISTS / f"{area}.toml").read_text(encoding="utf-8"))["fault"]
    return [Fault(area, **{**one, "tests": tuple(one["tests"])}) for one in listed]
