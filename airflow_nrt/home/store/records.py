"""Records: dataclasses as JSON, each in a file with the number of its format."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import decoded, parse_json
from airflow_nrt.files.formats import Format
from airflow_nrt.files.private_files import MOST_BYTES
from airflow_nrt.home.store.store_path import StorePath

Record = TypeVar("Record")


def read_record(path: StorePath, form: Format, kind: type[Record], limit: int = MOST_BYTES) -> Record:
    """The record that a file of a home holds. Raises FileNotFoundError, HomeError."""
    try:
        return record_of(path.read(limit), form, kind, path)
    except FileNotFoundError:
        raise
    except OSError as wrong:
        raise HomeError(f"{form.of} {path} can't be read: {wrong}") from None


def record_of(content: bytes, form: Format, kind: type[Record], where: object) -> Record:
    """The record that a content holds. Raises HomeError."""
    try:
        return decoded(form.read(parse_json(content), where), kind)
    except (ValueError, TypeError) as wrong:
        raise HomeError(f"{form.of} {where} can't be read: {wrong}") from None


def update(path: StorePath, change: Callable[[bytes | None], bytes | None]) -> None:
    """Gives a file the content that `change` makes of the one it has (None: it is not there); None changes nothing.

    `change` is called again if another process was faster. Raises OSError, HomeError.
    """
    while True:
        try:
            before = path.read()
        except FileNotFoundError:
            before = None
        after = change(before)
        if after is None:
            return
        if before is not None:
            done = path.replace_if_unchanged(after, before)
        else:
            path.parent.make()
            done = path.put_if_absent(after)
        if done:
            return


def record_bytes(form: Format, record: Any) -> bytes:
    """A record as a file holds it: a dataclass, or a mapping of its fields."""
    content = record if isinstance(record, dict) else asdict(record)
    return json.dumps(form.stamped(content), separators=(",", ":"), ensure_ascii=False).encode()
