"""What the next driver does with a report in a home, today. No driver computes the past of a changed report."""

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
    """`why` names the way out."""

    name = "refuses"
    accepted = False
    why: str

    def __str__(self) -> str:
        return f"the next driver refuses this report in this home. {self.why}"
