"""A store: what holds the files of a home. A home needs these operations, and none besides.

What an operation has changed is durable when it returns. One that raised TimeoutError or ConnectionError may have taken
effect, or may take effect later: so what is written under a name that others write, too, says who wrote it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


@dataclass(frozen=True)
class Seen:
    """A file as a listing shows it: its size in bytes, and when it was last changed (ns since 1970, by the store's
    clock). A file that differs in neither has not changed."""

    size: int
    changed: int


class Store(Protocol):
    """Keys are names, joined by `/`; the empty key is the home. An operation raises OSError if the store fails, and
    HomeError for a file that is not trusted.

    Files are whole: a reader sees all of a content, or none of it. A content that is appended may be cut.
    """

    def shown(self, key: str) -> str:
        """The location of a key, for people."""

    def local(self, key: str) -> Path:
        """Where a key lies on a file system, for Spark and for other processes. Raises HomeError if it is on none."""

    def open(self, key: str) -> BinaryIO:
        """The content, to be read and sought. Raises FileNotFoundError."""

    def seen(self, key: str) -> Seen | None:
        """A file without its content, None if it is not there."""

    def age(self, key: str) -> float:
        """Seconds since a file or directory was last changed. Raises FileNotFoundError."""

    def names(self, key: str, most: int | None = None) -> list[str]:
        """What lies directly below a key, in no order, at most so many; nothing if there is nothing."""

    def exists(self, key: str) -> bool:
        """Whether there is a file, or a directory, of this key."""

    def make(self, key: str) -> None:
        """Makes a directory, and those around it, where the store has directories."""

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """Creates a file; False if it exists already. Never overwrites."""

    def replace(self, key: str, content: bytes) -> None:
        """Gives a file this content, whatever it had."""

    def replace_if_unchanged(self, key: str, content: bytes, before: bytes) -> bool:
        """Gives a file this content if it has the content `before`; False, and nothing happens, if it has another, or
        is not there."""

    def append(self, key: str, content: bytes, most: int) -> bool:
        """Adds to the end of a file; False if it would have more than `most` bytes. Only one process appends to a
        file."""

    def sync(self, keys: Collection[str]) -> None:
        """Makes files durable that other processes have written, with their names. Keys without a file are passed
        over."""

    def delete(self, key: str) -> None:
        """Removes a file, if it is there."""

    def delete_all(self, key: str) -> None:
        """Removes all that lies below a key, and the key. What can't be removed stays."""
