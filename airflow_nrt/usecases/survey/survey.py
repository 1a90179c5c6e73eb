"""Asks about each file of a directory, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.usecases.asking import Inquiry, answered
from airflow_nrt.usecases.requests.survey import FileRequest, FileVerdict, Outcome
from airflow_nrt.usecases.survey.files import files_below


def survey(
    directory: Path, settings: Settings, inquiry: Callable[[Path], Inquiry]
) -> Iterator[tuple[Path, FileVerdict]]:
    """The scripts and programs below a directory, each with its verdict, as soon as it is there.

    `inquiry` says how a file is asked about. Raises InputError for an invalid time limit.
    """
    for file in files_below(directory):
        yield file, _verdict(FileRequest(file, settings), inquiry(file))


def _verdict(request: FileRequest, inquiry: Inquiry) -> FileVerdict:
    try:
        return answered(request, FileVerdict, inquiry)
    except NrtError as failed:
        return FileVerdict(Outcome.FAILS.name, (f"{request.file}: {failed}",))
