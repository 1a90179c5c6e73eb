"""Rows of results that were set aside after the log had decided on them, because their sink refuses them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import records
from airflow_nrt.home.log.entries import Published


def keep_aside(home: Home, made: Published, rows: Sequence[dict[str, Any]]) -> None:
    """Writes rows of a staged file into the ledger."""
    path = home.path / made.rows_aside
    make_private(path)
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
    replace_file(path / f"part-{uuid.uuid4().hex}.txt", lines.encode())


def aside_of(home: Home, published: Iterable[Published]) -> Iterator[tuple[Published, dict[str, Any]]]:
    """The rows that were set aside of these files, each file's once."""
    for one in published:
        if (home.path / one.rows_aside).is_dir():
            yield from ((one, record) for record in records(home.path / one.rows_aside))
