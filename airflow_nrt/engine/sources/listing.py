"""What a directory of a source holds: files, directories and links, without the names that begin with `_` or `.`."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TypeAlias

from airflow_nrt.describe.overlaps import HIDDEN

Inode: TypeAlias = "tuple[int, int]"
"""The file system and the number in it: what two names of one file or directory have in common."""


@dataclass(frozen=True)
class Listing:
    """Paths. A link is only among the links, whatever it leads to."""

    files: tuple[str, ...]
    directories: tuple[str, ...]
    links: tuple[str, ...]

    def without_files(self) -> Listing:
        return replace(self, files=())


def inode_of(found: os.stat_result) -> Inode:
    return found.st_dev, found.st_ino


def list_directory(directory: str) -> Listing:
    """Raises OSError."""
    files: list[str] = []
    directories: list[str] = []
    links: list[str] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith(HIDDEN):
                continue
            kind = links if entry.is_symlink() else directories if entry.is_dir() else files
            kind.append(entry.path)
    return Listing(tuple(files), tuple(directories), tuple(links))
