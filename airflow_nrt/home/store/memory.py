"""A store in memory, for tests: what is not written through it is nowhere."""

from __future__ import annotations

import time
from collections.abc import Collection
from io import BytesIO
from itertools import count
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.store.store import Seen


class MemoryStore:
    """Its content is gone with the process. Threads may share it."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._changed: dict[str, tuple[int, float]] = {}
        self._lock = Lock()
        self._changes = count(1)

    def shown(self, key: str) -> str:
        return f"memory:/{key}"

    def local(self, key: str) -> Path:
        raise HomeError(f"{self.shown(key)} is on no file system")

    def open(self, key: str) -> BinaryIO:
        with self._lock:
            if key not in self._files:
                raise FileNotFoundError(self.shown(key))
            return BytesIO(self._files[key])

    def seen(self, key: str) -> Seen | None:
        with self._lock:
            return Seen(len(self._files[key]), self._changed[key][0]) if key in self._files else None

    def age(self, key: str) -> float:
        with self._lock:
            of_key = [at for name, (_, at) in self._changed.items() if name == key or name.startswith(f"{key}/")]
        if not of_key:
            raise FileNotFoundError(self.shown(key))
        return time.time() - max(of_key)

    def names(self, key: str, most: int | None = None) -> list[str]:
        start = f"{key}/" if key else ""
        with self._lock:
            below = (name.removeprefix(start).partition("/")[0] for name in self._files if name.startswith(start))
            return [*dict.fromkeys(below)][:most]

    def exists(self, key: str) -> bool:
        with self._lock:
            return key in self._files or any(name.startswith(f"{key}/") for name in self._files)

    def make(self, key: str) -> None:
        pass

    def put_if_absent(self, key: str, content: bytes) -> bool:
        with self._lock:
            if key in self._files:
                return False
            self._put(key, content)
            return True

    def replace(self, key: str, content: bytes) -> None:
        with self._lock:
            self._put(key, content)

    def replace_if_unchanged(self, key: str, content: bytes, before: bytes) -> bool:
        with self._lock:
            if self._files.get(key) != before:
                return False
            self._put(key, content)
            return True

    def append(self, key: str, content: bytes, most: int) -> bool:
        with self._lock:
            whole = self._files.get(key, b"") + content
            if len(whole) > most:
                return False
            self._put(key, whole)
            return True

    def sync(self, keys: Collection[str]) -> None:
        pass

    def delete(self, key: str) -> None:
        with self._lock:
            self._files.pop(key, None)
            self._changed.pop(key, None)

    def delete_all(self, key: str) -> None:
        with self._lock:
            gone = [name for name in self._files if name == key or name.startswith(f"{key}/")]
        for name in gone:
            self.delete(name)

    def _put(self, key: str, content: bytes) -> None:
        self._files[key] = content
        self._changed[key] = next(self._changes), time.time()
