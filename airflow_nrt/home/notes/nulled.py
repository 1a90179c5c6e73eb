"""Expressions that were NULL because they could not be computed, how often, and the last time how: `notes/nulled.json`.

It is written before the entry, so a batch that is computed again counts again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.decoding import read_record
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.formats import Format
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.home import Home

_MOST_BYTES = 1024 * 1024
_MOST = 100
_MOST_LETTERS = 500
_FORMAT = Format("the note of values that can't be computed")


@dataclass(frozen=True)
class NulledExpression:
    """So many values of an expression, and the last of them as it was computed, with its key and window if it is a sum
    of one."""

    count: int
    last: str


@dataclass(frozen=True)
class NulledExpressions:
    """By their texts, the expressions of a report."""

    expressions: Mapping[str, NulledExpression]


def note_nulled(home: Home, found: Mapping[str, NulledExpression]) -> None:
    """Adds to what the home has, for at most so many expressions. A home that can't be written keeps none."""
    with suppress(OSError, HomeError):
        known = dict(nulled_expressions(home))
        for name, one in found.items():
            text = shortened(name, _MOST_LETTERS)
            before = known.pop(text).count if text in known else 0
            known[text] = NulledExpression(before + one.count, shortened(one.last, _MOST_LETTERS))
        kept = NulledExpressions(dict([*known.items()][-_MOST:]))
        make_private(home.notes)
        replace_file(home.nulled, json.dumps(_FORMAT.stamped(asdict(kept))).encode())


def nulled_expressions(home: Home) -> Mapping[str, NulledExpression]:
    """What the home has noted; nothing if it can't be read."""
    with suppress(OSError, HomeError):
        found = read_record(home.nulled, _FORMAT, NulledExpressions, _MOST_BYTES)
        return found.expressions if found is not None else {}
    return {}
