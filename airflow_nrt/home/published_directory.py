"""A directory to which a home publishes files: whose it is, and where that home is.

So a report that reads these files finds the log that says what became of them. Readers skip both marks, because their
names have a dot.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.private_files import read_regular
from airflow_nrt.files.public_files import PUBLIC
from airflow_nrt.home.home import Home

OWNER, PLACE = ".nrt-owner", ".nrt-home"
"""The files with the id of the home, and with its path."""
_MOST_BYTES_OF_PATH = 4096


def note_place(root: Path, home: Home) -> None:
    """Writes where the home is, unless that is written already."""
    if noted_place(root) != str(home.path):
        replace_file(root / PLACE, os.fsencode(home.path), PUBLIC)


def noted_place(root: Path) -> str:
    """Where the home is that publishes to a directory, as anybody may have written there; '' if nothing is."""
    try:
        return os.fsdecode(read_regular(root / PLACE, _MOST_BYTES_OF_PATH))
    except (FileNotFoundError, HomeError):
        return ""


def release_directory(root: Path, home: Home) -> None:
    """Removes the marks of a home, so that another one can publish there. Raises HomeError, PermissionError."""
    with suppress(FileNotFoundError):
        if read_regular(root / OWNER, _MOST_BYTES_OF_PATH) == home.identity().id.encode():
            (root / PLACE).unlink(missing_ok=True)
            (root / OWNER).unlink()


def publishing_home(file: Path, group: str | None) -> tuple[Path, Home] | None:
    """The directory above a file to which a home publishes, and that home; None if there is none that can be trusted.

    Anybody who may write there can have written the marks, so the home itself must say that it is the one, and its
    directories be those of this user, or of the `group`.
    """
    root = next((one for one in file.parents if (one / PLACE).is_file()), None)
    if root is None:
        return None
    try:
        home = Home.open(os.fsdecode(read_regular(root / PLACE, _MOST_BYTES_OF_PATH)), group)
        owner = read_regular(root / OWNER, _MOST_BYTES_OF_PATH)
        return (root, home) if owner == home.identity().id.encode() else None
    except (OSError, HomeError, InputError):
        return None
