"""The frame of an OVER window: `ROWS 2 PRECEDING`, `RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW`."""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.cursor import Cursor

_UNITS = ("ROWS", "RANGE")


def parse_frame(cursor: Cursor, expression: Callable[[], ast.Expression]) -> ast.Frame | None:
    """The frame at the cursor, None if there is none. Raises SqlError."""
    at = cursor.at
    unit = cursor.take_any_word(*_UNITS)
    if unit is None:
        return None
    if cursor.take_word("BETWEEN"):
        low = _bound(cursor, expression)
        cursor.expect_word("AND")
        high = _bound(cursor, expression)
    else:
        low, high = _bound(cursor, expression), _current_row(cursor)
    return ast.Frame(unit, low, high, cursor.text_since(at), at)


def _bound(cursor: Cursor, expression: Callable[[], ast.Expression]) -> ast.Bound:
    if cursor.is_word("CURRENT", "ROW"):
        bound = _current_row(cursor)
        cursor.take_word("CURRENT", "ROW")
        return bound
    value = None if cursor.take_word("UNBOUNDED") else expression()
    side = cursor.take_any_word("PRECEDING", "FOLLOWING")
    if side is None:
        raise cursor.error("PRECEDING or FOLLOWING")
    return ast.Bound(value, side == "FOLLOWING")


def _current_row(cursor: Cursor) -> ast.Bound:
    return ast.Bound(ast.Literal("number", "0", cursor.at), following=True)
