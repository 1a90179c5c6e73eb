"""A disk that keeps what was synced, and nothing else: what a power failure leaves of the files of a home."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


class Disk:
    """Follows the syncs of this process below a directory. A name is durable if its directory was synced since."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self._root = root
        self._names: dict[str, set[str]] = {}
        self._sizes: dict[int, int] = {}
        sync = os.fsync

        def followed(handle: int) -> None:
            sync(handle)
            self._synced(handle)

        patch.setattr(os, "fsync", followed)

    def fail(self) -> int:
        """Takes away what is not durable; gives how many files that changes."""
        return self._fail_in(self._root)

    def _synced(self, handle: int) -> None:
        path, found = os.readlink(f"/proc/self/fd/{handle}"), os.fstat(handle)
        if Path(path).is_dir():
            self._names[path] = {*os.listdir(path)}
        else:
            self._sizes[found.st_ino] = found.st_size

    def _fail_in(self, directory: Path) -> int:
        changed, kept = 0, self._names.get(str(directory), set())
        for path in sorted(directory.iterdir()):
            if path.name not in kept:
                changed += sum(1 for one in path.rglob("*") if one.is_file()) if path.is_dir() else 1
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            elif path.is_dir():
                changed += self._fail_in(path)
            elif path.stat().st_size != (size := self._sizes.get(path.stat().st_ino, 0)):
                os.truncate(path, size)
                changed += 1
        return changed


class PowerFailure(BaseException):
    """The machine is off."""


def failing_at(point: str, times: int) -> Callable[[str], None]:
    """A fault point that fails for good when `point` is reached for the n-th time."""
    left = [times]

    def reach(reached: str) -> None:
        left[0] -= reached == point
        if left[0] < 0 or (left[0] == 0 and reached == point):
            raise PowerFailure

    return reach
