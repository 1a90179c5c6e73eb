"""The directories above a home: whoever may rename one of them may put another home in the place of this one.

A directory is renamed by who may write the one around it; in a sticky one, such as /tmp, only by its owner, by that of
the sticky one, and by root.
"""

from __future__ import annotations

import logging
import os
import stat
from functools import cache
from pathlib import Path

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.ownership import ROOT, group_id

log = logging.getLogger(__name__)


def check_surroundings(home: Path, group: str | None) -> None:
    """Raises HomeError if a user other than this one, root and the members of the group may rename a directory above
    the home, or the home."""
    why = renamed_by(home, group)
    if why is not None:
        raise HomeError(
            f"{why}, who may put another home in the place of {home}: choose a place below directories that only you "
            "and root can write, or take the right to write away from others (`chmod go-w`, or `chmod +t`)"
        )


def warn_of_surroundings(home: Path, group: str | None) -> None:
    """Logs what `check_surroundings` refuses, for a home that is there: earlier versions did not look."""
    why = renamed_by(home, group)
    if why is not None:
        log.warning(
            "%s, who may put another home in the place of %s: move it, or `chmod go-w` what is above", why, home
        )


def renamed_by(home: Path, group: str | None) -> str | None:
    """Who may rename what above a home, for people; None if nobody else may."""
    trusted = {ROOT} if group is None else {ROOT, group_id(group)}
    # Where a link stands counts, and where it leads to.
    for place in dict.fromkeys((home.absolute(), Path(os.path.realpath(home)))):
        for directory in (place, *place.parents[:-1]):
            who = _renaming(directory, trusted)
            if who is not None:
                return f"{directory} can be renamed by {who}"
    return None


def _renaming(directory: Path, trusted: set[int]) -> str | None:
    """Who but this user, root and these groups may rename a directory, whether it is there yet or not."""
    try:
        around = os.stat(directory.parent)
        own = os.lstat(directory) if os.path.lexists(directory) else None
    except OSError:
        return None
    mine = (os.geteuid(), ROOT)
    if around.st_uid not in mine and around.st_gid not in trusted - {ROOT}:
        return f"user {around.st_uid}"
    if around.st_mode & stat.S_ISVTX:
        return f"user {own.st_uid}" if own is not None and _is_foreign(own, mine, trusted) else None
    if around.st_mode & stat.S_IWOTH:
        return "everybody"
    if around.st_mode & stat.S_IWGRP and around.st_gid not in trusted and not _is_private(around.st_gid):
        return f"group {around.st_gid}"
    return None


def _is_foreign(found: os.stat_result, mine: tuple[int, int], trusted: set[int]) -> bool:
    return found.st_uid not in mine and found.st_gid not in trusted - {ROOT}


@cache
def _is_private(group: int) -> bool:
    """Whether it is the group that a user alone is in, as many systems make one for each."""
    import grp
    import pwd

    try:
        name, known = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return group == os.getegid() and known.gr_name == name and set(known.gr_mem) <= {name}
