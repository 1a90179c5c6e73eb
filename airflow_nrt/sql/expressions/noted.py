"""What generated SQL stands for, noted while a report is planned: an error of Spark's is told at its place.

Two ways lead from an error to a place. Spark says which piece of SQL has failed: the smallest one around it that was
noted gives the place. SQL that raises an error itself begins or ends its message with `text_of` the expression: what
it says is found by that. So a helper that a function or a cast is written as needs no more than that text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from airflow_nrt.model.origins import Origin
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of

_LONGEST = 2000
"""A longer piece has shorter ones inside, which say more; a sum of a thousand terms would be kept a thousand times."""
_NOTES: ContextVar[dict[Origin, None] | None] = ContextVar("notes", default=None)


@contextmanager
def noting(notes: dict[Origin, None]) -> Iterator[None]:
    """Plans with what is noted joining these."""
    token = _NOTES.set(notes)
    try:
        yield
    finally:
        _NOTES.reset(token)


def note(node: ast.Expression, sql: str | None = None) -> None:
    """Notes that this SQL stands for an expression; without any, that messages may have the expression's text."""
    notes = _NOTES.get()
    if notes is None or len(sql or "") > _LONGEST:
        return
    text = text_of(node)
    if len(text) <= _LONGEST:
        notes.setdefault(Origin(sql or text, text, str(node.at)))
