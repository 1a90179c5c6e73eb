"""Paths: a run chooses a segment, not where a path begins; nobody leaves the directory before a placeholder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from airflow_nrt.model.shapes.shape import MisfitError, Piece, Shape, check_name, may_not_choose, values, with_before

_IN_AUTHORITY = re.compile(r"\w[\w+.-]*:(?://[^/]*)?")


class Path(Shape):
    """A path or a URL of a file system.

    A value from a run is one segment, or a part of one. In other values `..` stands only where the path begins.
    """

    def texts(self, pieces: Sequence[Piece]) -> list[str]:
        for one, before, _ in with_before(pieces):
            if one.of_run:
                check_name(one)
                if _IN_AUTHORITY.fullmatch(before) or (":" in one.value and "/" not in before):
                    raise may_not_choose(one, "where a path begins: write that into the report")
            elif before and ".." in unquote(one.value).split("/"):
                raise MisfitError(one, "leaves the directory before it by '..'")
        text = "".join(one if isinstance(one, str) else one.value for one in pieces)
        written = "".join(one if isinstance(one, str) else "_" for one in pieces)
        # Pieces of a segment make it '..' together.
        if any(one.of_run for one in values(pieces)) and _ups(text) > _ups(written):
            raise MisfitError(values(pieces)[-1], "makes a segment '..' of the text around it")
        return [one.value for one in values(pieces)]


def _ups(text: str) -> int:
    return sum(segment in (".", "..") for segment in text.split("/"))


PATH = Path()
