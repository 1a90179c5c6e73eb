"""JAAS texts, `Module required username="…" password="…";`, as Kafka's clients read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from airflow_nrt.basics.spelling import java_escaped
from airflow_nrt.model.shapes.shape import MisfitError, Piece, Shape, may_not_choose, with_before

_CLOSED = re.compile(
    r"""[^"'/]+|//[^\n]*\n|/\*.*?\*/|/(?![/*])|"(?:\\.|[^"\\\n])*["\n]|'(?:\\.|[^'\\\n])*['\n]""", re.DOTALL
)
"""What is neither open nor the beginning of something."""
_PLAIN = re.compile(r"[\w.-]+")


class Jaas(Shape):
    """A value between quotes is escaped. Elsewhere a run chooses nothing, and others a word, or the whole text."""

    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        return list(self._texts(pieces))

    def _texts(self, pieces: Sequence[Piece]) -> Iterator[str]:
        for one, before, after in with_before(pieces):
            if _is_quoted(before):
                yield java_escaped(one.value)
                continue
            if one.of_run:
                raise may_not_choose(one, "a login module or its options: put it between double quotes")
            if (before or after) and _PLAIN.fullmatch(one.value) is None:
                raise MisfitError(one, "is not one word: put it between double quotes, where it may be any text")
            yield one.value


def _is_quoted(before: str) -> bool:
    """Whether what follows this text is between quotes that it opens."""
    end = 0
    while (closed := _CLOSED.match(before, end)) is not None:
        end = closed.end()
    return before[end : end + 1] in ('"', "'")


JAAS = Jaas()
