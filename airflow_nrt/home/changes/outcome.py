"""What the next driver does with a report in a home, unless it is asked to rebuild."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Outcome(ABC):
    """`name` is for programs."""

    name: ClassVar[str]
    accepted: ClassVar[bool] = True

    def to_json(self) -> dict[str, Any]:
        return {"does": self.name, "text": str(self)}


@dataclass(frozen=True)
class GoesOn(Outcome):
    name = "goes on"

    def __str__(self) -> str:
        return "the next driver goes on with this home"


@dataclass(frozen=True)
class Fills(Outcome):
    """By added insert, the one from whose table its table is filled."""

    name = "fills"
    added: Mapping[str, str]

    def __str__(self) -> str:
        tables = ", ".join(f"{insert} with the windows of {twin}" for insert, twin in self.added.items())
        return f"the next driver goes on with this home, and fills {tables}"


@dataclass(frozen=True)
class Refuses(Outcome):
    """`why` names the way out. `kept_by` is why the report can't be computed beside the one that counts, None if it
    can."""

    name = "refuses"
    accepted = False
    why: str
    kept_by: str | None = None

    def __str__(self) -> str:
        text = f"the next driver refuses this report in this home. {self.why}"
        return text if self.kept_by is None else f"{text}\n--on-change rebuild is refused, too: {self.kept_by}"

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "rebuilds": self.kept_by is None}
