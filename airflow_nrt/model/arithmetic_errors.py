"""What becomes of arithmetic that has no result (an overflow, a division by zero): it ends the report, or is NULL.

A home takes NULL with an entry of its log, and keeps it: what it has published since may hold such a NULL. Rows of
earlier entries had none, as they would have ended the report: so NULL means the same for them, and stream, backfill and
verification need no other number for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from airflow_nrt.basics.errors import InputError

ARITHMETIC_ERRORS = "table.exec.arithmetic-error"
"""The setting: 'fail' or 'null'."""
NULL_FUNCTION = "nrt_null"
"""A function of SQL that counts a NULL: an expression's text, how it was computed, and where (`nulled_values.py`)."""

_TOKEN = re.compile(rf"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|{NULL_FUNCTION}\(|[()]", re.DOTALL)


def are_null(settings: Mapping[str, str] | Iterable[tuple[str, str]]) -> bool:
    """Whether these settings of a report make a value NULL that can't be computed."""
    return dict(settings).get(ARITHMETIC_ERRORS, "").lower() == "null"


def check_kept(settings: Iterable[tuple[str, str]], has_taken: bool) -> None:
    """Raises InputError if a home has taken NULL, and these settings of its report have it no more."""
    if has_taken and not are_null(settings):
        raise InputError(
            f"this home has values that are NULL by '{ARITHMETIC_ERRORS}' = 'null', and could not compute them again: "
            "SET it as it was. A new home may do without"
        )


def uncounted(sql: str) -> str:
    """SQL of the same values, without what is only counted: where a row is, and how a value was computed.

    >>> print(uncounted("coalesce(a, CAST(nrt_null('n / (0)', concat(n, ')'), _nrt_pos) AS INT)), b"))
    coalesce(a, CAST(NULL AS INT)), b
    """
    if f"{NULL_FUNCTION}(" not in sql:
        return sql
    kept, last, depth = [], 0, 0
    of_count: int | None = None
    for token in _TOKEN.finditer(sql):
        if token[0] == ")":
            depth -= 1
            if depth == of_count:
                of_count, last = None, token.end()
        elif token[0].endswith("("):
            if of_count is None and len(token[0]) > 1:
                kept.append(f"{sql[last : token.start()]}NULL")
                of_count = depth
            depth += 1
    return "".join(kept) + sql[last:]
