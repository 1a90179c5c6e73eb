"""Files of a home, as they are opened: nobody else may have put them there, or can change them.

A file is opened through no link and only if it is a regular one, so that it is no door to another file, and no pipe on
which a reader waits for ever. It counts up to a size, and only if it belongs to whoever may write its directory: this
user, root, and where a home is shared (`ownership.py`), its group.

What is made in a home has its mode said, whatever the umask: 0700 and 0600, or 2770 and 0660 where a group shares it.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from airflow_nrt.report.errors import HomeError
from airflow_nrt.report.ownership import check_owner

MOST_BYTES = 64 * 1024 * 1024
"""More than any file that is read whole has: an entry of the log with thousands of windows."""
_NO_FILE = (errno.ENXIO, errno.EISDIR)


def read_private(path: Path, limit: int = MOST_BYTES) -> bytes:
    """What a file holds. `limit` is in bytes.

    Raises FileNotFoundError, other OSErrors, and HomeError for a file that is not to be trusted, or is too large.
    """
    return _read(open_private(path, os.O_RDONLY), path, limit)


def read_regular(path: Path, limit: int) -> bytes:
    """What a file holds that anybody may have put there. Raises as `read_private`."""
    return _read(open_regular(path, os.O_RDONLY), path, limit)


def open_private(path: Path, flags: int) -> int:
    """A descriptor of a file, made where `flags` say so. Raises as `read_private`."""
    mode = mode_in(path.parent) if flags & os.O_CREAT else 0
    handle = open_regular(path, flags, mode)
    try:
        found, around = os.fstat(handle), os.stat(path.parent)
        check_owner(path, found, around.st_gid if around.st_mode & stat.S_IWGRP else None)
        if flags & os.O_CREAT and found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) != mode:
            os.fchmod(handle, mode)
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_regular(path: Path, flags: int, mode: int = 0o600) -> int:
    """A descriptor of a file, whoever it belongs to. Raises OSError, and HomeError unless it is a regular file."""
    try:
        # Else the open of a pipe waits for its other end.
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    except OSError as wrong:
        if wrong.errno == errno.ELOOP:
            raise HomeError(f"{path} is a link, which is not followed: take it away") from None
        if wrong.errno in _NO_FILE:
            raise HomeError(f"{path} is no regular file: take it away") from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise HomeError(f"{path} is no regular file: take it away")
    return handle


def _read(handle: int, path: Path, limit: int) -> bytes:
    with open(handle, "rb", buffering=0) as file:
        content = file.readall() if os.fstat(handle).st_size <= limit else None
    if content is None:
        raise HomeError(f"{path} has more than {limit} bytes: no file of its kind is that large, so it is not read")
    return content


def write_private(path: Path, content: bytes, mode: int = 0o600) -> None:
    """A new file in place of whatever has the name; it has this mode from its first byte on. Raises OSError."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(handle, "wb") as file:
        # Whatever the umask.
        os.fchmod(handle, mode)
        file.write(content)


def mode_in(directory: Path) -> int:
    """The mode of a new file: 0600, and 0660 where a group may write the directory."""
    return 0o660 if _is_shared(directory) else 0o600


def make_private(directory: Path) -> None:
    """Makes a directory in a home, and those around it, if they are not there. Raises OSError."""
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_private(directory.parent)
        make_private(directory)
        return
    if _is_shared(directory.parent):
        os.chmod(directory, 0o2770)


def _is_shared(directory: Path) -> bool:
    return bool(os.stat(directory).st_mode & stat.S_IWGRP)
