"""What a directory of a source holds: files, directories and links, without the names that begin with `_` or `.`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TypeAlias

from airflow_nrt.describe.overlaps import HIDDEN
from airflow_nrt.home.log.fold.looks import Look

Inode: TypeAlias = "tuple[int, int]"
"""The file system and the number in it: what two names of one file or directory have in common."""


@dataclass(frozen=True)
class Listing:
    """A directory, and paths in it. A link is only among the links, whatever it leads to."""

    directory: str
    files: tuple[str, ...]
    directories: tuple[str, ...]
    links: tuple[str, ...]

    @classmethod
    def without_files(cls, directory: str, look: Look) -> Listing:
        """Of a directory that is as it was when it was looked at, and all of whose files are known."""
        directories, links = (
            tuple(os.path.join(directory, name) for name in names) for names in (look.directories, look.links)
        )
        return cls(directory, (), directories, links)


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
    return Listing(directory, tuple(files), tuple(directories), tuple(links))
