"""Homes on a POSIX file system: `link` creates a file only if it is absent, `rename` replaces one, `fsync` keeps both.

Files and directories are private to their user, or to the group that shares the home (`files/private_files.py`).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from airflow_nrt.files.durable import put_if_absent, replace_file, sync_directory
from airflow_nrt.files.private_files import make_private, open_private
from airflow_nrt.home.store.store import Seen
from airflow_nrt.home.store.store_path import StorePath

_AT_ONCE = 8


@dataclass(frozen=True, order=True)
class PosixStore:
    """The store below a directory."""

    root: Path

    def shown(self, key: str) -> str:
        return str(self.local(key))

    def local(self, key: str) -> Path:
        return self.root / key

    def open(self, key: str) -> BinaryIO:
        return open(open_private(self.local(key), os.O_RDONLY), "rb")

    def seen(self, key: str) -> Seen | None:
        try:
            found = os.lstat(self.local(key))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Seen(found.st_size, found.st_mtime_ns)

    def age(self, key: str) -> float:
        return time.time() - os.lstat(self.local(key)).st_mtime

    def names(self, key: str, most: int | None = None) -> list[str]:
        try:
            with os.scandir(self.local(key)) as found:
                # What is being written has a name with a dot.
                return [one.name for one in islice((one for one in found if one.name[0] != "."), most)]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def exists(self, key: str) -> bool:
        try:
            os.lstat(self.local(key))
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def make(self, key: str) -> None:
        if not self.local(key).is_dir():
            make_private(self.local(key))
            self._sync_around([key])

    def put_if_absent(self, key: str, content: bytes) -> bool:
        return put_if_absent(self.local(key), content)

    def replace(self, key: str, content: bytes) -> None:
        path = self.local(key)
        replace_file(path, content)
        sync_directory(path.parent)

    def replace_if_unchanged(self, key: str, content: bytes, before: bytes) -> bool:
        with _locked(self.local(key).parent):
            try:
                with self.open(key) as file:
                    if file.read() != before:
                        return False
            except FileNotFoundError:
                return False
            self.replace(key, content)
            return True

    def append(self, key: str, content: bytes, most: int) -> bool:
        handle = open_private(self.local(key), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        with open(handle, "ab", buffering=0) as file:
            if file.seek(0, os.SEEK_END) + len(content) > most:
                return False
            file.write(content)
            return True

    def sync(self, keys: Collection[str]) -> None:
        # At once: a file system writes its journal for all of them together.
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for _ in threads.map(_sync_file, map(self.local, keys)):
                pass
        self._sync_around(keys)

    def delete(self, key: str) -> None:
        self.local(key).unlink(missing_ok=True)

    def delete_all(self, key: str) -> None:
        path = self.local(key)
        shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):
            path.unlink(missing_ok=True)

    def _sync_around(self, keys: Collection[str]) -> None:
        """Makes the names of these files or directories durable, and those of the directories around them."""
        for directory in sorted({around for key in keys for around in Path(key).parents}, reverse=True):
            with suppress(FileNotFoundError):
                sync_directory(self.root / directory)


def _sync_file(path: Path) -> None:
    with suppress(FileNotFoundError):
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Locks out others that replace a file of this directory if it is unchanged."""
    handle = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def posix_path(path: Path) -> StorePath:
    """The place of a directory on this host."""
    return StorePath(PosixStore(path))
