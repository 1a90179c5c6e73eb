"""Clauses of standard SQL after calls and operands that are not there: each error says what to write instead."""

from __future__ import annotations

from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.parse.cursor import Cursor

_OF_ONE_ROW = ("FIRST_VALUE", "LAST_VALUE")
_OF_POSITIONS = ("LAG", "LEAD", "NTH_VALUE")


def check_nulls(cursor: Cursor, name: str) -> None:
    """Raises SqlError at IGNORE NULLS or RESPECT NULLS, after the arguments of a call or after its parentheses."""
    word = next((word for word in ("IGNORE", "RESPECT") if cursor.is_word(word, "NULLS")), None)
    if word is None:
        return
    if word == "IGNORE" and name in _OF_ONE_ROW:
        message = f"IGNORE NULLS is what {name} does anyway: leave it out"
    elif word == "IGNORE" and name in _OF_POSITIONS:
        message = f"{name} counts rows with NULL, too: instead of IGNORE NULLS, leave them out in a subquery in FROM"
    elif word == "IGNORE":
        message = f"there is no IGNORE NULLS: write {name}(…) FILTER (WHERE … IS NOT NULL)"
    elif name not in _OF_ONE_ROW:
        message = f"{name} takes no RESPECT NULLS: leave it out"
    else:
        message = f"{name} ignores NULL, also with RESPECT NULLS: ARRAY_AGG(…)[1] does not"
    raise SqlError(message, cursor.at)


def check_order(cursor: Cursor, name: str) -> None:
    """Raises NotThereYet at ORDER BY among the arguments of an aggregate."""
    if cursor.is_word("ORDER", "BY"):
        raise NotThereYet(
            f"ORDER BY inside {name}",
            cursor.at,
            "values are in the order of arrival; ARRAY_SORT(ARRAY_AGG(…)) sorts them",
        )


def check_zone(cursor: Cursor) -> None:
    """Raises NotThereYet at AT TIME ZONE after an operand."""
    if cursor.is_word("AT", "TIME", "ZONE"):
        raise NotThereYet(
            "AT TIME ZONE",
            cursor.at,
            "CAST to TIMESTAMP_LTZ(3) uses SET 'table.local-time-zone'; CONVERT_TZ(text, from, to) takes any zones",
        )


def check_exclusion(cursor: Cursor) -> None:
    """Raises SqlError or NotThereYet at EXCLUDE after a frame."""
    if cursor.is_word("EXCLUDE", "NO", "OTHERS"):
        raise SqlError("EXCLUDE NO OTHERS is what a frame does anyway: leave it out", cursor.at)
    if cursor.is_word("EXCLUDE"):
        raise NotThereYet(
            "EXCLUDE in a frame", cursor.at, "subtract the row's own value: SUM(x) OVER (…) - x, COUNT(*) OVER (…) - 1"
        )
