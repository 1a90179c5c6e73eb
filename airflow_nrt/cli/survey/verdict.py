"""The verdict about one file of a directory, and the summary of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from airflow_nrt.cli.terminal.colours import Colour


class Kind(Enum):
    """Whether a file runs here, in words, and their colour."""

    RUNS = ("runs", Colour.GOOD)
    DIFFERS = ("runs with a difference", Colour.WARNING)
    FAILS = ("does not run", Colour.WRONG)
    NO_REPORT = ("is no report", Colour.ASIDE)

    @property
    def words(self) -> str:
        return self.value[0]

    @property
    def colour(self) -> Colour:
        return self.value[1]


@dataclass(frozen=True)
class Verdict:
    """`kind` is the name of a Kind; `reasons` are the differences, or what is wrong as `file:line:column: message`.

    Raises TypeError for an unknown kind.
    """

    kind: str
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in Kind.__members__:
            raise TypeError(f"there is no verdict {self.kind[:100]!r}")

    @property
    def of(self) -> Kind:
        return Kind[self.kind]


def summary(kinds: Iterable[Kind]) -> str:
    """`3 files: 2 run, 1 does not run`."""
    counts = Counter(kinds)
    parts = [f"{counts[kind]} {_counted(kind, counts[kind])}" for kind in Kind if counts[kind]]
    total = counts.total()
    return f"{total} file{'' if total == 1 else 's'}: {', '.join(parts)}"


def _counted(kind: Kind, count: int) -> str:
    verb, _, rest = kind.words.partition(" ")
    several = {"runs": "run", "does": "do", "is": "are"}
    return f"{verb if count == 1 else several[verb]} {rest}".strip()
