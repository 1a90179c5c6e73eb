"""A log in a directory, without the rest of its home."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.home.log.log import Log
from airflow_nrt.home.store.posix import posix_path


def log_at(directory: Path) -> Log:
    """The log in a directory of this name, which lies in its home."""
    return Log(posix_path(directory.parent) / directory.name)
