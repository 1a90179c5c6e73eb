"""The places in the report of the SQL that the engine runs. Messages for Spark's errors use them; results don't."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_FUNCTION = re.compile(r"[A-Z][A-Z_0-9]+\b")
_MOST = 3
"""At most so many expressions are named as the possible cause of an error."""


@dataclass(frozen=True)
class Origin:
    """A piece of generated `sql`, the `text` of the report that it was generated from, and the place of that text."""

    sql: str
    text: str
    place: str


@dataclass(frozen=True)
class Known:
    """The known origins of a plan."""

    origins: tuple[Origin, ...] = ()

    @property
    def text(self) -> str:
        """All of the report that is known, one expression a line."""
        return "\n".join(one.text for one in self.origins)

    def around(self, sql: str, start: int, stop: int) -> str | None:
        """The origin of the characters from `start` up to `stop` of a SQL text, None if it is not known.

        That is the origin of the smallest known piece around them.
        """
        found = sorted((one for one in self.origins if one.sql in sql), key=lambda one: len(one.sql))
        return next((self._at(one) for one in found if _covers(one.sql, sql, start, stop)), None)

    def placed(self, message: str) -> str:
        """A message that generated SQL has raised, with the place of the longest text of the report in it.

        If it begins with the name of a function, and the report calls that once, it gets the place of the call.
        """
        found = [one.text for one in self.origins if one.text in message]
        if found:
            return f"{message} ({self._places(max(found, key=len))})"
        function = _FUNCTION.match(message)
        call = self.alone([f"{function.group()}("]) if function else None
        return f"{message}: {call}" if call else message

    def alone(self, ways: Iterable[str]) -> str | None:
        """The text of the report with one of these words, or the few such texts; None if there are none or many."""
        words = tuple(ways)
        found = {one.text: one for one in self.origins if any(word in one.text for word in words)}
        least = [text for text in found if not any(other != text and other in text for other in found)]
        return " or ".join(self._at(found[text]) for text in least) if 0 < len(least) <= _MOST else None

    def _at(self, origin: Origin) -> str:
        return f"{origin.text} ({self._places(origin.text)})"

    def _places(self, text: str) -> str:
        return " and ".join(dict.fromkeys(one.place for one in self.origins if one.text == text))


def _covers(piece: str, sql: str, start: int, stop: int) -> bool:
    at = sql.find(piece, max(stop - len(piece), 0))
    return 0 <= at <= start
