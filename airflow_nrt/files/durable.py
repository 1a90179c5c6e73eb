"""Files that appear whole or not at all, on a POSIX file system. Those of a home are private (`private_files.py`)."""

from __future__ import annotations

import contextlib
import errno
import os
import uuid
from pathlib import Path

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.private_files import protect, read_private


def put_same(path: Path, content: bytes) -> None:
    """Creates the file with this content, unless it has it already. Raises HomeError if it has other content."""
    try:
        existing = read_private(path)
    except FileNotFoundError:
        if put_if_absent(path, content):
            return
        existing = read_private(path)
    if existing != content:
        raise HomeError(f"{path} is not what was put there: its name is made from its content; take it away")


def put_if_absent(path: Path, content: bytes, mode: int | None = None) -> bool:
    """Creates the file with this content, whole and synced; False if it exists already. Never overwrites.

    The default of `mode` is that of a file in a home. Raises HomeError if the file system has no hard links, on which
    this relies.
    """
    aside = _aside(path)
    _write(aside, content, mode)
    try:
        os.link(aside, path)
    except FileExistsError:
        return False
    except OSError as wrong:
        if wrong.errno in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK):
            raise HomeError(
                f"the file system of {path.parent} can't create a file only if it is absent (link: {wrong.strerror}); "
                "put the home on a POSIX file system with hard links"
            ) from None
        raise
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(aside)
    sync_directory(path.parent)
    return True


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Replaces the content of the file by one rename. The default of `mode` is that of a file in a home."""
    aside = _aside(path)
    _write(aside, content, mode)
    os.replace(aside, path)


def is_aside(name: str, of: str) -> bool:
    """Whether this is the temporary name under which the file `of` is being written."""
    return name.startswith(f".{of}.")


def sync_directory(path: Path) -> None:
    """Makes names in a directory durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}")


def _write(path: Path, content: bytes, mode: int | None = None) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(handle, "wb") as file:
        if mode is None:
            protect(handle, path.parent)
        else:
            os.fchmod(handle, mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
