"""Formats of the files of a home: each file has the number of its format, and older formats are still read.

A file without a number has format 1. The number is raised when an older version would misread what is written now; a
step is then added that converts old content to new.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from airflow_nrt import __version__
from airflow_nrt.basics.errors import HomeError

Content = dict[str, Any]
_NUMBER = "format"


@dataclass(frozen=True)
class Format:
    """A format; `of` names its content in messages. `steps[0]` converts content of format 1 to format 2, and so on."""

    of: str
    steps: tuple[Callable[[Content], Content], ...] = ()

    @property
    def number(self) -> int:
        """The format that this version writes, and the newest that it reads."""
        return len(self.steps) + 1

    def stamped(self, content: Mapping[str, Any]) -> Content:
        """The content with its number, to be written."""
        return {_NUMBER: self.number, **content}

    def read(self, content: Any, where: object) -> Content:
        """The content of a file as this version would have written it, without its number.

        Raises HomeError if it is no JSON object, if a newer version wrote it, or if no older version can have written
        it.
        """
        if not isinstance(content, dict):
            raise HomeError(f"{self.of} {where} can't be read: it is no JSON object")
        number = content.get(_NUMBER, 1)
        self.check(number, where)
        read = dict(content)
        read.pop(_NUMBER, None)
        try:
            for step in self.steps[number - 1 :]:
                read = step(read)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as wrong:
            raise HomeError(
                f"{self.of} {where} can't be read: it is nothing of format {number}: {wrong!r:.200}"
            ) from None
        return read

    def check(self, number: Any, where: object) -> None:
        """Raises HomeError unless this version reads this format."""
        if type(number) is not int or number < 1:
            raise HomeError(f"{self.of} {where} can't be read: its format is {number!r:.100}, which is invalid")
        if number > self.number:
            raise HomeError(
                f"{self.of} {where} has format {number}, and airflow-nrt {__version__} reads formats up to "
                f"{self.number}: a newer version wrote it, so go on with that version"
            )
