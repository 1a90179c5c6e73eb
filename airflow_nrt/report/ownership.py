"""Whose a file or a directory is: what others may write is trusted by nobody."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from airflow_nrt.report.errors import HomeError

ROOT = 0


def check_owner(path: Path, found: os.stat_result, group: int | None) -> None:
    """Raises HomeError unless this is this user's (or root's) and no other can write it, but for those of a group.

    `group` is the id of one whose members are trusted; None: no others are.
    """
    is_of_group = group is not None and found.st_gid == group
    if found.st_uid not in (os.geteuid(), ROOT) and not is_of_group:
        raise HomeError(
            f"{path} belongs to user {found.st_uid}, and this process runs as user {os.geteuid()}: it is not trusted"
        )
    if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not is_of_group):
        others = "everybody" if found.st_mode & stat.S_IWOTH else f"group {found.st_gid}"
        raise HomeError(
            f"{path} can be written by {others}, so it is not trusted: look at what it holds, then `chmod -R go-w` it"
        )
