"""How a home goes: one in which nothing has begun, after a start that was refused, or one that a person gives up."""

from __future__ import annotations

import shutil
from contextlib import suppress

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.directories import PARTS
from airflow_nrt.home.home import Home


def close_unbegun(home: Home) -> bool:
    """Nobody can begin in it any more. False if a driver has begun: the home stays as it is."""
    try:
        home.log_directory.rmdir()
    except OSError:
        return False
    return True


def remove_unbegun(home: Home) -> None:
    """Removes a home that is closed, but for its launches, which say why a start was refused."""
    home.report_file.unlink(missing_ok=True)
    home.outline_file.unlink(missing_ok=True)
    for part in PARTS:
        with suppress(OSError):
            (home.path / part).rmdir()
    with suppress(OSError):
        home.path.rmdir()


def remove(home: Home) -> None:
    """Removes a home, its report last: whoever is killed meanwhile can begin again.

    Raises HomeError if something of it can't be removed.
    """
    kept = (home.report_file, home.launches)
    try:
        for path in (*(one for one in home.path.iterdir() if one not in kept), home.launches, home.report_file):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        home.path.rmdir()
    except OSError as wrong:
        raise HomeError(f"the home {home.path} can't be removed: {wrong}") from None
