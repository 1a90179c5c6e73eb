"""Files of a home, as they are opened: nobody else may have put them there, or can change them.

A file is opened through no link and only if it is a regular one, so that it is no door to another file, and no pipe on
which a reader waits for ever. It counts up to a size, and only if it belongs to whoever may write its directory: this
user, root, and where a home is shared (`ownership.py`), its group.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from airflow_nrt.report.errors import HomeError
from airflow_nrt.report.ownership import check_owner

MOST_BYTES = 64 * 1024 * 1024
"""More than any file that is read whole has: a chapter of the log with thousands of windows an entry."""
_WRITABLE_BY_GROUP = stat.S_IWGRP


def read_private(path: Path, limit: int = MOST_BYTES) -> bytes:
    """What a file holds. `limit` is in bytes.

    Raises FileNotFoundError, other OSErrors, and HomeError for a file that is not to be trusted, or is too large.
    """
    handle = open_private(path, os.O_RDONLY)
    with open(handle, "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise HomeError(f"{path} has more than {limit} bytes: no file of its kind is that large, so it is not read")
    return content


def open_private(path: Path, flags: int) -> int:
    """A descriptor of a file, made where `flags` say so. Raises as `read_private`."""
    try:
        # Else the open of a pipe waits for its other end.
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode_in(path.parent))
    except OSError as wrong:
        if wrong.errno == errno.ELOOP:
            raise HomeError(f"{path} is a link, and links in a home are not followed: take it away") from None
        if wrong.errno == errno.ENXIO:
            raise HomeError(f"{path} is no regular file: take it away") from None
        raise
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise HomeError(f"{path} is no regular file: take it away")
        around = os.stat(path.parent)
        check_owner(path, found, around.st_gid if around.st_mode & _WRITABLE_BY_GROUP else None)
    except BaseException:
        os.close(handle)
        raise
    return handle


def mode_in(directory: Path) -> int:
    """The mode of a new file: 0600, and 0660 where a group may write the directory."""
    return 0o660 if os.stat(directory).st_mode & _WRITABLE_BY_GROUP else 0o600
