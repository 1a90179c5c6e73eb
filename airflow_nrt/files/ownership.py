"""Who owns a file or a directory: one that others can write is not trusted."""

from __future__ import annotations

import os
import stat
from functools import cache
from pathlib import Path

from airflow_nrt.basics.errors import HomeError, InputError

ROOT = 0
_HIGHEST_ID = 2**32 - 2


@cache
def group_id(group: str) -> int:
    """The id of a group that is given by name or id. Raises InputError if there is none.

    An id needs no name here: a container knows none for the groups that a volume brings along.
    """
    import grp

    try:
        if group.isascii() and group.isdecimal():
            number = int(group)
            if number <= _HIGHEST_ID:
                return number
        return grp.getgrnam(group).gr_gid
    except (KeyError, ValueError):
        raise InputError(f"there is no group {group[:100]!r} on this host: name one that shares the home") from None


def is_trusted_user(user: int) -> bool:
    """Whether it is this user or root."""
    return user in (os.geteuid(), ROOT)


def check_user(path: Path | str, found: os.stat_result) -> None:
    """Raises HomeError unless the file belongs to this user or root."""
    if not is_trusted_user(found.st_uid):
        raise HomeError(
            f"{path} belongs to user {found.st_uid}, and this process runs as user {os.geteuid()}: it is not trusted. "
            "Take another place, or run this as that user; a group that shares homes is named by the field `group` of "
            "the connection, or by --group"
        )


def check_owner(path: Path | str, found: os.stat_result, group: int | None) -> None:
    """Raises HomeError unless the file belongs to this user or root, and nobody else but a group can write it.

    `group` is the id of a group whose members are trusted; None: nobody else is.
    """
    is_of_group = group is not None and found.st_gid == group
    if not is_of_group:
        check_user(path, found)
    if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not is_of_group):
        others = "everybody" if found.st_mode & stat.S_IWOTH else f"group {found.st_gid}"
        raise HomeError(
            f"{path} can be written by {others}, so it is not trusted: look at what it holds, then `chmod -R go-w` it; "
            "a group that shares homes is named by the field `group` of the connection, or by --group"
        )
