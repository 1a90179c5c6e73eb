"""Notes of which expression a piece of generated SQL stands for, so that an error of Spark is reported at its place.

There are two ways from an error to its place. Spark names the piece of SQL that failed: the smallest noted piece that
contains it has the place. SQL that raises an error itself begins or ends its message with `text_of` the expression, by
which the note is found. So the SQL of a function or a cast needs nothing but that text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from airflow_nrt.model.origins import Origin
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of

_LONGEST = 2000
"""Longer pieces are not noted, because they contain shorter ones: a sum of a thousand terms has a thousand pieces."""
_NOTES: ContextVar[dict[Origin, None] | None] = ContextVar("notes", default=None)


@contextmanager
def noting(notes: dict[Origin, None]) -> Iterator[None]:
    """Plans a statement whose notes are added to these."""
    token = _NOTES.set(notes)
    try:
        yield
    finally:
        _NOTES.reset(token)


def note(node: ast.Expression, sql: str | None = None) -> None:
    """Notes that this SQL stands for an expression. Without SQL, notes that messages may have the expression's text."""
    notes = _NOTES.get()
    if notes is None or len(sql or "") > _LONGEST:
        return
    text = text_of(node)
    if len(text) <= _LONGEST:
        notes.setdefault(Origin(sql or text, text, str(node.at)))
