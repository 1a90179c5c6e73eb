"""Files that appear whole or not at all, on a POSIX file system."""

from __future__ import annotations

import contextlib
import errno
import os
import uuid
from pathlib import Path

from airflow_nrt.report.errors import HomeError


def put_if_absent(path: Path, content: bytes) -> bool:
    """Creates the file with this content, whole and synced; False if it exists already. Never overwrites.

    Raises HomeError where the file system has no hard links, which this rests on.
    """
    aside = _aside(path)
    _write(aside, content)
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


def replace_file(path: Path, content: bytes) -> None:
    """Puts this content in place of whatever the file holds, by one rename."""
    aside = _aside(path)
    _write(aside, content)
    os.replace(aside, path)


def is_aside(name: str, of: str) -> bool:
    """Whether this is the name of a file that is being written, and is to become the file named `of`."""
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


def _write(path: Path, content: bytes) -> None:
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
