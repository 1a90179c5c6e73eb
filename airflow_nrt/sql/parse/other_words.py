"""Words that stand behind calls and operands in standard SQL, and not here: each is told with what to write instead."""

from __future__ import annotations

from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.parse.cursor import Cursor

_OF_ONE_ROW = ("FIRST_VALUE", "LAST_VALUE")
_OF_PLACES = ("LAG", "LEAD", "NTH_VALUE")


def check_nulls(cursor: Cursor, name: str) -> None:
    """IGNORE NULLS and RESPECT NULLS, behind the arguments of the call `name` or behind its parentheses."""
    word = next((word for word in ("IGNORE", "RESPECT") if cursor.is_word(word, "NULLS")), None)
    if word is None:
        return
    if word == "IGNORE" and name in _OF_ONE_ROW:
        told = f"IGNORE NULLS is what {name} does anyway: leave it out"
    elif word == "IGNORE" and name in _OF_PLACES:
        told = f"{name} counts rows with NULL, too: in place of IGNORE NULLS leave them out in a query behind FROM"
    elif word == "IGNORE":
        told = f"there is no IGNORE NULLS: write {name}(…) FILTER (WHERE … IS NOT NULL)"
    elif name not in _OF_ONE_ROW:
        told = f"{name} takes no RESPECT NULLS: leave it out"
    else:
        told = f"{name} passes over NULL, also with RESPECT NULLS: ARRAY_AGG(…)[1] does not"
    raise SqlError(told, cursor.at)


def check_order(cursor: Cursor, name: str) -> None:
    """ORDER BY among the arguments of an aggregate."""
    if cursor.is_word("ORDER", "BY"):
        raise NotThereYet(
            f"ORDER BY inside {name}", cursor.at, "values stand as their rows came; ARRAY_SORT(ARRAY_AGG(…)) sorts them"
        )


def check_zone(cursor: Cursor) -> None:
    """AT TIME ZONE behind an operand."""
    if cursor.is_word("AT", "TIME", "ZONE"):
        raise NotThereYet(
            "AT TIME ZONE",
            cursor.at,
            "CAST to TIMESTAMP_LTZ(3) goes by SET 'table.local-time-zone'; CONVERT_TZ(text, from, to) takes any zones",
        )


def check_exclusion(cursor: Cursor) -> None:
    """EXCLUDE behind a frame."""
    if cursor.is_word("EXCLUDE", "NO", "OTHERS"):
        raise SqlError("EXCLUDE NO OTHERS is what a frame does anyway: leave it out", cursor.at)
    if cursor.is_word("EXCLUDE"):
        raise NotThereYet(
            "EXCLUDE in a frame", cursor.at, "take the row's own value off: SUM(x) OVER (…) - x, COUNT(*) OVER (…) - 1"
        )


def check_qualify(cursor: Cursor) -> None:
    """QUALIFY behind the clauses of a SELECT."""
    if cursor.is_word("QUALIFY"):
        raise NotThereYet(
            "QUALIFY",
            cursor.at,
            "ask in a query around it: SELECT … FROM (SELECT …, ROW_NUMBER() OVER (…) AS n FROM …) WHERE n <= 3",
        )


_EXTREMES = {(">", "ALL"): "MAX", (">", "ANY"): "MIN", ("<", "ALL"): "MIN", ("<", "ANY"): "MAX"}


def check_quantifier(cursor: Cursor, operator: str) -> None:
    """ALL, ANY and SOME between a comparison and a query, but where they mean IN."""
    word = "ALL" if cursor.is_word("ALL") else "ANY"
    extreme = _EXTREMES.get((operator[0], word)) if operator not in ("=", "<>", "!=") else None
    instead = f"compare with (SELECT {extreme}(…) FROM …)" if extreme else "compare with its MIN and its MAX"
    raise NotThereYet(f"{operator} {cursor.token.upper} (SELECT …)", cursor.at, instead)
