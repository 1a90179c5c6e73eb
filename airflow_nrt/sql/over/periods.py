"""Parts of a time as keys: a day, an hour … whose rows come to an end with it."""

from __future__ import annotations

import re

from airflow_nrt.basics.durations import DAY, HOUR, MINUTE, SECOND
from airflow_nrt.model.windows.grid import Every, Grid
from airflow_nrt.model.windows.months import Monthly
from airflow_nrt.sql.parse import ast

_GROWING_PATTERN = re.compile(r"yyyy\W?(MM\W?(dd\W?(HH\W?(mm\W?(ss)?)?)?)?)?")
"""Of DATE_FORMAT: later times have greater texts."""
_OF_LETTERS = {
    "ss": Every(SECOND),
    "mm": Every(MINUTE),
    "HH": Every(HOUR),
    "dd": Every(DAY),
    "MM": Monthly(1),
    "yyyy": Monthly(12),
}
"""By the last letters of a pattern."""
_OF_UNITS = {
    "SECOND": Every(SECOND),
    "MINUTE": Every(MINUTE),
    "HOUR": Every(HOUR),
    "DAY": Every(DAY),
    # FLOOR goes to Sundays, and 1970 began on a Thursday.
    "WEEK": Every(7 * DAY, 3 * DAY),
    "MONTH": Monthly(1),
    "QUARTER": Monthly(3),
    "YEAR": Monthly(12),
}


def grows(key: ast.Expression, time: ast.Expression) -> bool:
    """Whether a key is a day, an hour or another part of this time, which never is smaller for a later row."""
    match key:
        case ast.Call("FLOOR", (operand, ast.Keyword())):
            return operand == time
    return period_of(key, time) is not None


def period_of(key: ast.Expression, time: ast.Expression) -> Grid | None:
    """The ends of the periods of which a key is one. None if it is no part of this time, or its ends are not known."""
    match key:
        case ast.Cast(operand, kind) if operand == time and kind.name == "DATE":
            return _OF_UNITS["DAY"]
        case ast.Call("DATE_FORMAT", (operand, ast.Literal("string", pattern))) if operand == time:
            known = _GROWING_PATTERN.fullmatch(pattern) is not None
            return next(grid for letters, grid in _OF_LETTERS.items() if letters in pattern) if known else None
        case ast.Call("FLOOR", (operand, ast.Keyword(unit))) if operand == time:
            return _OF_UNITS.get(unit)
        case ast.Call("YEAR", (operand,)) if operand == time:
            return _OF_UNITS["YEAR"]
    return None
