"""A path in a store: of a file or a directory of a home."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.private_files import MOST_BYTES
from airflow_nrt.home.store.store import Seen, Store


@dataclass(frozen=True, order=True)
class StorePath:
    """A key of a store. Operations raise as those of `Store`. `str` is the location."""

    store: Store
    key: str = ""

    def __truediv__(self, name: str) -> StorePath:
        return StorePath(self.store, f"{self.key}/{name}" if self.key else name)

    def __str__(self) -> str:
        return self.store.shown(self.key)

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return self.name.rpartition(".")[0] or self.name

    @property
    def parent(self) -> StorePath:
        return StorePath(self.store, self.key.rpartition("/")[0])

    @property
    def local(self) -> Path:
        """The path on a file system, for Spark and for other processes. Raises HomeError if the store is on none."""
        return self.store.local(self.key)

    def read(self, limit: int = MOST_BYTES) -> bytes:
        """The content. Raises FileNotFoundError, and HomeError if it has more than `limit` bytes."""
        with self.open() as file:
            content = file.read(limit + 1)
        if len(content) > limit:
            raise HomeError(f"{self} has more than {limit} bytes: no file of its kind is that large, so it is not read")
        return content

    def open(self) -> BinaryIO:
        return self.store.open(self.key)

    def seen(self) -> Seen | None:
        return self.store.seen(self.key)

    def age(self) -> float:
        return self.store.age(self.key)

    def exists(self) -> bool:
        return self.store.exists(self.key)

    def names(self, most: int | None = None) -> list[str]:
        return self.store.names(self.key, most)

    def below(self, ending: str = "") -> list[StorePath]:
        """What lies directly below, by name, if its name has this ending. What is being written has no name yet."""
        return [self / name for name in sorted(self.names()) if name.endswith(ending) and not name.startswith(".")]

    def make(self) -> None:
        self.store.make(self.key)

    def put_if_absent(self, content: bytes) -> bool:
        return self.store.put_if_absent(self.key, content)

    def replace(self, content: bytes) -> None:
        self.store.replace(self.key, content)

    def replace_if_unchanged(self, content: bytes, before: bytes) -> bool:
        return self.store.replace_if_unchanged(self.key, content, before)

    def append(self, content: bytes, most: int = MOST_BYTES) -> bool:
        return self.store.append(self.key, content, most)

    def delete(self) -> None:
        self.store.delete(self.key)

    def delete_all(self) -> None:
        self.store.delete_all(self.key)
