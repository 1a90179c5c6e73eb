"""A file of state that can't be read: no source has it, so what helps there does not help here."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.engine.failures.failures import CorruptFileError
from airflow_nrt.home.home import Home
from airflow_nrt.home.written.durable_files import damaged


def named_in_home(meaning: NrtError | None, home: Home) -> NrtError | None:
    """The error of a file of the home, in place of the one that takes it for a file of a source."""
    if isinstance(meaning, CorruptFileError) and meaning.path and home.directory in Path(meaning.path).parents:
        return damaged(meaning.path, meaning.reason)
    return meaning
