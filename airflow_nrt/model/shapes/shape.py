"""What the text of an option is made of, and so what a placeholder in it may be.

Who writes a report chooses places, who triggers a run of a DAG chooses values (docs/decisions/56-values-and-places.md).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Union

_NAME = re.compile(r"[\w:=+@-](?:[\w .:=+@-]*[\w:=+@-])?")
"""Neither `.` nor `..`, nothing that separates parts of paths, urls or lists, and nothing that a pattern has."""
_IDENTIFIER = re.compile(r"[\w-]+")
_WORD = re.compile(r"[+-]?(?:\w+(?:\.\w+)*|\d*\.?\d+(?:[eE][+-]?\d+)?)")


@dataclass(frozen=True)
class Given:
    """The value of the placeholder `${name}`. `of_run`: who triggers a run of a DAG may have chosen it."""

    name: str
    value: str = field(repr=False)
    of_run: bool


Piece = Union[str, Given]


class MisfitError(ValueError):
    """The value of a placeholder can't stand where it does. The message says why, without the value."""

    def __init__(self, given: Given, why: str) -> None:
        super().__init__(why)
        self.given = given


class Shape(ABC):
    """What a text is made of."""

    @abstractmethod
    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        """What each value of these pieces becomes, in their order. Raises MisfitError."""


class Text(Shape):
    """Any text: a secret, a number, a name of a user."""

    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        return [one.value for one in values(pieces)]


class Name(Shape):
    """One name, such as that of a topic."""

    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        for one in values(pieces):
            if one.of_run:
                check_name(one)
        return [one.value for one in values(pieces)]


class Identifier(Shape):
    """One name without dots: of a table, so that it names no other schema, or in a pattern, which it can't widen."""

    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        for one in values(pieces):
            if one.of_run and _IDENTIFIER.fullmatch(one.value) is None:
                raise MisfitError(one, "comes from a run, and is not one name: letters, digits, _ and -")
        return [one.value for one in values(pieces)]


class Word(Shape):
    """SQL outside of quotes."""

    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        for one in values(pieces):
            if one.of_run and _WORD.fullmatch(one.value) is None:
                raise MisfitError(one, "comes from a run, and is neither a number nor a name")
        return [one.value for one in values(pieces)]


@dataclass(frozen=True)
class Place(Shape):
    """Whoever chooses it chooses where to, or which code: never a run. `called` ends "may not choose"."""

    called: str

    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        for one in values(pieces):
            if one.of_run:
                raise may_not_choose(one, self.called)
        return [one.value for one in values(pieces)]


def values(pieces: Sequence[Piece]) -> list[Given]:
    return [one for one in pieces if isinstance(one, Given)]


def with_before(pieces: Sequence[Piece]) -> Iterator[tuple[Given, str, Sequence[Piece]]]:
    """Each value, the text before it, in which `_` stands for other values, and the pieces after it."""
    before = ""
    for number, one in enumerate(pieces):
        if isinstance(one, Given):
            yield one, before, pieces[number + 1 :]
        before += one if isinstance(one, str) else "_"


def check_name(given: Given) -> None:
    """Raises MisfitError for a value that is no single name."""
    if _NAME.fullmatch(given.value) is None:
        raise MisfitError(given, "comes from a run, and is not one name: letters, digits, spaces and any of _.:=+@-")


def may_not_choose(given: Given, called: str) -> MisfitError:
    return MisfitError(given, f"comes from a run, which may not choose {called}")


TEXT, NAME, IDENTIFIER, WORD = Text(), Name(), Identifier(), Word()
