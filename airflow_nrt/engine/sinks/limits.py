"""What a sink can't take of a row. The log decides on no such row: it is rejected before it is staged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airflow_nrt.basics.spelling import string_literal

REFUSED = "_nrt_refused"
"""The column of staged rows that says why a row is rejected. The first character says whether its key is the reason."""
_KEY, _VALUE = "k", "v"


@dataclass(frozen=True)
class Limit:
    """A bound of a sink. `broken` is SQL over the rows of a result, true where a row breaks it, `in_key` by its key."""

    broken: str
    reason: str
    in_key: bool = False


def why_refused(limits: Sequence[Limit]) -> str:
    """SQL of the reason for which a row is rejected, NULL for one that fits.

    >>> print(why_refused([Limit("`n` > 5", "n is more than 5")]))
    CASE WHEN `n` > 5 THEN 'vn is more than 5' END
    """
    cases = (
        f"WHEN {one.broken} THEN {string_literal((_KEY if one.in_key else _VALUE) + one.reason)}"
        for one in sorted(limits, key=lambda one: not one.in_key)
    )
    return f"CASE {' '.join(cases)} END"


def is_of_key(reason: str) -> bool:
    return reason.startswith(_KEY)


def in_words(reason: str) -> str:
    return reason[1:]
