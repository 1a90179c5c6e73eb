"""Rows of results that a sink can't take, how many and the last of each kind: `notes/left_out.json`.

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
_FORMAT = Format("the note of rows that sinks can't take")


@dataclass(frozen=True)
class LeftOut:
    """So many rows, and the last of them as JSON."""

    count: int
    last: str


@dataclass(frozen=True)
class LeftOutRows:
    """By insert, and by the reason."""

    inserts: Mapping[str, Mapping[str, LeftOut]]


def note_left_out(home: Home, insert: str, found: Mapping[str, LeftOut]) -> None:
    """Adds to what the home has, for at most so many reasons. A home that can't be written keeps none."""
    with suppress(OSError, HomeError):
        known = {name: dict(reasons) for name, reasons in left_out_rows(home).items()}
        mine = known.setdefault(insert, {})
        for reason, one in found.items():
            text = shortened(reason, _MOST_LETTERS)
            before = mine.pop(text).count if text in mine else 0
            mine[text] = LeftOut(before + one.count, shortened(one.last, _MOST_LETTERS))
        known[insert] = dict([*mine.items()][-_MOST:])
        make_private(home.notes)
        replace_file(home.left_out, json.dumps(_FORMAT.stamped(asdict(LeftOutRows(known)))).encode())


def left_out_rows(home: Home) -> Mapping[str, Mapping[str, LeftOut]]:
    """What the home has noted; nothing if it can't be read."""
    with suppress(OSError, HomeError):
        return read_record(home.left_out, _FORMAT, LeftOutRows, _MOST_BYTES).inserts
    return {}
