"""Opening the files of a home: only files that nobody else can have written or can change.

A file is opened only if it is a regular one and no link, so that it leads to no other file, and no reader waits for
ever on a pipe. It is read up to a size limit, and only if it belongs to those who may write its directory: this user,
root, and the group of a shared home (`ownership.py`).

What is created in a home has its mode set explicitly, whatever the umask: 0700 and 0600, or 2770 and 0660 where a group
shares it. That group is the one of the parent directory, also where that was created without the setgid bit.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.ownership import check_owner

MOST_BYTES = 64 * 1024 * 1024
"""Larger than any file that is read whole, such as an entry of the log with thousands of windows."""
_NO_FILE = (errno.ENXIO, errno.EISDIR)


def read_private(path: Path, limit: int = MOST_BYTES) -> bytes:
    """The content of a file. `limit` is in bytes.

    Raises FileNotFoundError, other OSErrors, and HomeError for a file that is not trusted, or is too large.
    """
    return _read(open_private(path, os.O_RDONLY), path, limit)


def read_regular(path: Path, limit: int) -> bytes:
    """The content of a file, whoever wrote it. Raises as `read_private`."""
    return _read(open_regular(path, os.O_RDONLY), path, limit)


def open_private(path: Path, flags: int) -> int:
    """A descriptor of a file, which is created if `flags` say so. Raises as `read_private`."""
    handle = open_regular(path, flags)
    try:
        found, around = os.fstat(handle), os.stat(path.parent)
        check_owner(path, found, around.st_gid if around.st_mode & stat.S_IWGRP else None)
        if flags & os.O_CREAT and found.st_uid == os.geteuid():
            protect(handle, path.parent)
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_regular(path: Path, flags: int, mode: int = 0o600) -> int:
    """A descriptor of a file, whoever it belongs to. Raises OSError, and HomeError unless it is a regular file."""
    try:
        # Without it, opening a pipe would wait for its other end.
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


def write_private(path: Path, content: bytes) -> None:
    """A new file that only its owner can read, in place of any file of this name. Raises OSError."""
    with _new(path) as file:
        file.write(content)


def write_in_home(path: Path, content: bytes) -> None:
    """A new file that all who share its directory can read, in place of any file of this name. Raises OSError."""
    with _new(path) as file:
        protect(file.fileno(), path.parent)
        file.write(content)


def _new(path: Path) -> BinaryIO:
    path.unlink(missing_ok=True)
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")


def protect(handle: int, directory: Path) -> None:
    """Sets the mode of a file of this user as for files of this directory, and its group where that may write there."""
    found, around = os.fstat(handle), os.stat(directory)
    mode = 0o660 if around.st_mode & stat.S_IWGRP else 0o600
    if mode == 0o660 and found.st_gid != around.st_gid:
        os.fchown(handle, -1, around.st_gid)
    if stat.S_IMODE(found.st_mode) != mode:
        os.fchmod(handle, mode)


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
    around = os.stat(directory.parent)
    if around.st_mode & stat.S_IWGRP:
        os.chown(directory, -1, around.st_gid)
        os.chmod(directory, 0o2770)
