"""How a home goes: one in which nothing has begun, after a start that was refused, or one that a person gives up.

It is closed first: its log has another name, so that nobody begins, or goes on, while its tables are given up. Whoever
is killed in between can begin again.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.home.directories import PARTS
from airflow_nrt.home.home import Home, is_of_a_home

_CLOSED = ".log.closed"
"""The name of the log in a home that is closed; it is one of a file that is being written."""


def is_closed(home: Home) -> bool:
    return not home.log_directory.exists()


def close(home: Home) -> None:
    """Nobody can append to the log any more. It may be closed already."""
    with suppress(FileNotFoundError):
        os.rename(home.log_directory.local, home.path / _CLOSED)


def reopen(home: Home) -> None:
    os.rename(home.path / _CLOSED, home.log_directory.local)


def has_begun(home: Home) -> bool:
    """Whether the log of a closed home has entries."""
    return any((home.path / _CLOSED).iterdir())


def check_contents(home: Home) -> None:
    """Raises InputError if something in the directory is not of a home."""
    foreign = sorted(path.name for path in home.path.iterdir() if not is_of_a_home(path.name))
    if foreign:
        raise InputError(f"{home.path} has what is of no home: {', '.join(foreign)}. Take it away first")


def remove(home: Home) -> None:
    """Removes a closed home, its report last. Raises HomeError if something of it can't be removed."""
    kept = (home.launches.local, (home.base / home.report_file.name).local)
    try:
        for path in (*(one for one in home.path.iterdir() if one not in kept), *kept):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        target = home.path.resolve()
        if home.path.is_symlink():
            home.path.unlink()
        target.rmdir()
    except OSError as wrong:
        raise HomeError(f"the home {home.path} can't be removed: {wrong}") from None


def remove_unbegun(home: Home) -> None:
    """Removes a closed home in which nothing has begun, but for its launches, which say why a start was refused."""
    (home.path / _CLOSED).rmdir()
    home.report_file.delete()
    home.outline_file.delete()
    for part in PARTS:
        with suppress(OSError):
            (home.path / part).rmdir()
    with suppress(OSError):
        home.path.rmdir()
