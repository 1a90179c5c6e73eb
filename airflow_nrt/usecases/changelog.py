"""The changes of a report's published windows, in order, with those of their rows where files hold them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.curve.outlines import outline_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.sink_history import REMOVED, Change, changes
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.visible import directory_of, staged_directories
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS, ChangeFormat
from airflow_nrt.usecases.requests.changelog import ChangelogRequest, RowChange, WindowChange


def changelog(request: ChangelogRequest) -> Iterator[WindowChange]:
    """Reads the files of a window when it is asked for.

    Raises InputError, before the first change, if there is no home, or if rows are asked for and no file holds them.
    """
    home = Home.open(request.home, request.group)
    log, staged = changes(past_results(home.log())), staged_directories(home)

    def waits(one: Change) -> bool:
        return one.op != REMOVED and directory_of(one.published) in staged

    if not request.rows:
        return (WindowChange(one, waits=waits(one)) for one in log)
    files = _files_with_changes(home)
    return (WindowChange(one, _rows(files.get(one.published.insert), one), waits(one)) for one in log)


@dataclass(frozen=True)
class _Files:
    root: Path
    form: ChangeFormat


def _files_with_changes(home: Home) -> dict[str, _Files]:
    """Those of the inserts that write changes of rows. Raises InputError if there are none."""
    found = {
        insert.name: _Files(Path(insert.directory), CHANGE_FORMATS[insert.format])
        for insert in outline_of(home).inserts
        if insert.format in CHANGE_FORMATS and insert.directory is not None
    }
    if not found:
        raise InputError(
            "--rows: no table that this report writes has a format of changes, such as 'format' = 'debezium-json'"
        )
    return found


def _rows(files: _Files | None, one: Change) -> list[RowChange]:
    """The changes in a file; none if it has been removed since."""
    if files is None or one.op == REMOVED or not (files.root / one.published.target).is_file():
        return []
    lines = (files.root / one.published.target).read_text(encoding="utf-8").splitlines()
    return [RowChange(files.form.is_added(record), files.form.row_in(record)) for record in map(json.loads, lines)]
