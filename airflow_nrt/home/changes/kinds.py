"""What a change means for an insert, from nothing at all to a past that nobody can compute any more."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.home.changes.reach import Reach
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Insert


@dataclass(frozen=True)
class Kind(ABC):
    """`name` is for programs. A driver goes on with a report whose inserts are all `accepted`."""

    name: ClassVar[str]
    accepted: ClassVar[bool] = False

    def __str__(self) -> str:
        raise NotImplementedError

    def with_past(self, reach_of: Callable[[], Reach]) -> Kind:
        """The same, where the past has to be computed with what that takes."""
        return self

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.name}


@dataclass(frozen=True)
class AsItWas(Kind):
    """Its results are the same."""

    name = "as it was"
    accepted = True

    def __str__(self) -> str:
        return "as it was"


@dataclass(frozen=True)
class Added(Kind):
    """Its table is filled from that of its twin, an insert with the same query."""

    name = "added"
    accepted = True
    twin: str

    def __str__(self) -> str:
        return f"added: filled with the windows of {self.twin}"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.name, "twin": self.twin}


@dataclass(frozen=True)
class MetadataAlone(Kind):
    """What changed is applied to what comes, and asks nothing of what is published."""

    name = "metadata alone"
    accepted = True

    def __str__(self) -> str:
        return "metadata alone: what is published stays as it is"


@dataclass(frozen=True)
class StateKept(Kind):
    """What changed is above the state: the operators below are the same, down to their tables."""

    name = "state can be kept"
    is_windowed: bool
    has_state: bool

    def __str__(self) -> str:
        what = "windows" if self.is_windowed else "rows"
        why = "no source has to be read again to go on" if self.has_state else "it has none, and its query is as it was"
        return f"state can be kept: {why}; {what} of the past keep their old rows, or have to be published again"


@dataclass(frozen=True)
class Recomputed(Kind):
    """Other rows, other keys, other aggregates or other windows: the past has to be read again."""

    name = "recomputed"
    reach: Reach | None = None

    def __str__(self) -> str:
        return "recomputed" if self.reach is None else f"recomputed {self.reach}"

    def with_past(self, reach_of: Callable[[], Reach]) -> Kind:
        reach = reach_of()
        return replace(self, reach=reach) if reach.gone is None or reach.since is not None else Impossible(reach.gone)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.name, **_of_reach(self.reach)}


@dataclass(frozen=True)
class New(Kind):
    """An insert that nothing can fill: `why`, and what computing its past takes."""

    name = "new"
    why: str
    reach: Reach | None = None

    def __str__(self) -> str:
        return f"new{self.why}" + ("" if self.reach is None else f". It would be computed {self.reach}")

    def with_past(self, reach_of: Callable[[], Reach]) -> Kind:
        return replace(self, reach=reach_of())

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.name, "why": self.why.lstrip(",: "), **_of_reach(self.reach)}


@dataclass(frozen=True)
class Impossible(Kind):
    """Nobody can compute or publish its past any more."""

    name = "impossible"
    why: str

    def __str__(self) -> str:
        return f"impossible, because {self.why}"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.name, "why": self.why}


@dataclass(frozen=True)
class ByVersion(Kind):
    """The report says the same, and this version of airflow-nrt computes something else."""

    name = "by version"
    why: str

    def __str__(self) -> str:
        return f"a newer version computes this otherwise: {self.why}"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.name, "why": self.why}


@dataclass(frozen=True)
class Removed(Kind):
    """The report has no such insert any more."""

    name = "removed"

    def __str__(self) -> str:
        return "removed: its table stays as it is, and nothing more is published there"


def recomputed(now: Insert) -> Kind:
    """The kind of an insert whose results are others. What a table can't give back can't be replaced there."""
    if not connector_of(now.sink).keeps_rows:
        return Impossible(f"what connector '{now.sink.connector}' has taken can't be replaced")
    return Recomputed()


def _of_reach(reach: Reach | None) -> dict[str, Any]:
    if reach is None:
        return {}
    since, first = (None if at is None else format_instant(at) for at in (reach.since, reach.first))
    cost = {"rows": reach.rows, "seconds": reach.seconds}
    return {"since": since, "first": first, **cost, "unknown": reach.open, "gone": reach.gone}
