"""The directories of a home: created for its user, or for a group, and trusted only if nobody else can write them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.files.ownership import check_owner, check_user, group_id
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.generations import GENERATIONS

_MADE_AT_FIRST = ("log", "state", "staged", "ledger", "scratch")
PARTS = (
    *_MADE_AT_FIRST, "launches", "heartbeats", "notes", "dimensions", "schemas", "checkpoints", "versions", GENERATIONS,
)  # fmt: skip


def make_directories(home: Path, group: str | None) -> None:
    """Creates those that are missing.

    Raises HomeError where they can't be created, InputError for a group that this user is not in, and as
    `check_directories`.
    """
    try:
        for one in reversed([one for one in home.parents if not one.exists()]):
            # Members of the group create their homes in it, too.
            _make(one, 0o755, 0o2775, group)
        _make(home, 0o700, 0o2770, group)
        # Another process may have been faster.
        check_directories(home, group)
        for part in _MADE_AT_FIRST:
            make_private(home / part)
    except OSError as wrong:
        raise HomeError(f"can't make the home {home}: {wrong}") from None


def _make(directory: Path, mode: int, mode_for_group: int, group: str | None) -> None:
    """Raises InputError if this user can't create one for the group, and removes it then."""
    with suppress(FileExistsError):
        os.mkdir(directory, mode)
        if group is None:
            return
        try:
            os.chown(directory, -1, group_id(group))
            os.chmod(directory, mode_for_group)
        except PermissionError:
            os.rmdir(directory)
            raise InputError(
                f"user {os.geteuid()} can't make {directory} for the group {group!r}: run it as a user of that group"
            ) from None


def check_directories(home: Path, group: str | None) -> None:
    """Raises HomeError if anybody but this user, root and the group can have written to this home.

    A home may be a link if this user or root created the link.
    """
    trusted = group_id(group) if group is not None else None
    try:
        found = os.lstat(home)
        if stat.S_ISLNK(found.st_mode):
            check_user(home, found)
            found = os.stat(home)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as wrong:
        raise HomeError(f"the home {home} can't be read: {wrong}") from None
    check_owner(home, found, trusted)
    for part in PARTS:
        path = f"{home}/{part}"
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as wrong:
            raise HomeError(f"the home {home} can't be read: {wrong}") from None
        if not stat.S_ISDIR(found.st_mode):
            raise HomeError(f"{path} is no directory, and a link to one does not count in a home: take it away")
        check_owner(path, found, trusted)
