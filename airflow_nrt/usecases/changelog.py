"""The changes of a report's published windows, in order, with those of their rows where files hold them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.curve.outlines import outline_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.sink_history import REMOVED, Change, changes
from airflow_nrt.home.visible import directory_of, staged_directories
from airflow_nrt.usecases.requests.changelog import ChangelogRequest, WindowChange


def changelog(request: ChangelogRequest) -> Iterator[WindowChange]:
    """Reads the files of a window when it is asked for.

    Raises InputError, before the first change, if there is no home, or if rows are asked for and no file holds them.
    """
    home = Home.open(request.home, request.group)
    log, staged = changes(home.log().entries()), staged_directories(home)

    def waits(one: Change) -> bool:
        return one.op != REMOVED and directory_of(one.published) in staged

    if not request.rows:
        return (WindowChange(one, waits=waits(one)) for one in log)
    roots = _roots(home)
    return (WindowChange(one, _rows(roots, one), waits(one)) for one in log)


def _roots(home: Home) -> dict[str, Path]:
    """The directories of the inserts that write changes of rows. Raises InputError if there are none."""
    roots = {
        insert.name: Path(insert.directory)
        for insert in outline_of(home).inserts
        if insert.is_changelog and insert.directory is not None
    }
    if not roots:
        raise InputError("--rows: no table that this report writes has 'format' = 'debezium-json', which holds changes")
    return roots


def _rows(roots: Mapping[str, Path], one: Change) -> list[dict[str, Any]]:
    """The changes in a file; none if it has been removed since."""
    root = roots.get(one.published.insert)
    file = root / one.published.target if root is not None and one.op != REMOVED else None
    if file is None or not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
