"""A home reads what came into directories of its sources after they were closed."""

from __future__ import annotations

import os

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.fold.checkpoints import read_by
from airflow_nrt.home.notes.unread import noted_unread
from airflow_nrt.home.reopened import reopen as ask
from airflow_nrt.home.reopened import reopening
from airflow_nrt.usecases.requests.reopen import ReopenRequest, ReopenResult


def reopen(request: ReopenRequest) -> ReopenResult:
    """Has the next driver open these directories again. Without directories it changes nothing.

    Raises InputError for a directory that is not closed, HomeError if the home can't be read.
    """
    home = Home.open(request.home, request.group)
    read = read_by(home.log())
    closed = {name: one.closed for name, one in read.sources.items() if one.closed}
    if request.directories:
        source = _source(request.source, list(closed))
        wanted = tuple(os.path.abspath(directory) for directory in request.directories)
        wrong = next((directory for directory in wanted if directory not in closed[source]), None)
        if wrong is not None:
            raise InputError(f"{wrong} is no closed directory of {source}: without directories the command shows some")
        ask(home, source, wanted)
    unread = noted_unread(home).directories
    counts = {name: len(directories) for name, directories in closed.items()}
    return ReopenResult(counts, unread, reopening(home).directories)


def _source(name: str | None, closed: list[str]) -> str:
    if not closed:
        raise InputError("no directory of a source is closed")
    if name is None and len(closed) == 1:
        return closed[0]
    if name not in closed:
        wrong = "several sources have closed directories" if name is None else f"source {name!r} has closed none"
        raise InputError(f"{wrong}: --source is one of {', '.join(closed)}")
    return name
