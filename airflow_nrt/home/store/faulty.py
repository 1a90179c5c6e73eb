"""A store whose operations fail as a request over a network fails: before its effect, after it, or with an effect that
comes when its caller has given up. For tests."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

from airflow_nrt.home.store.store import Seen, Store

Result = TypeVar("Result")


class Fault(Enum):
    """What becomes of one operation. Only one that changes something can have its effect after its failure or late."""

    BEFORE = "it fails, and has no effect"
    AFTER = "it has its effect, and fails"
    LATE = "it fails, and has its effect when the late ones are released"
    TORN = "a listing shows half of what is there"


Faults = Callable[[str, str], "Fault | None"]
"""The fault of an operation, by its name, on a key; None if it succeeds. It may wait, as a slow store does."""


@dataclass
class FaultyStore:
    """A store around another one."""

    inner: Store
    faults: Faults
    late: list[Callable[[], object]] = field(default_factory=list)

    def release(self) -> None:
        """Lets the late effects come."""
        effects, self.late = self.late, []
        for effect in effects:
            effect()

    def shown(self, key: str) -> str:
        return self.inner.shown(key)

    def local(self, key: str) -> Path:
        return self.inner.local(key)

    def open(self, key: str) -> BinaryIO:
        self._ask("open", key)
        return self.inner.open(key)

    def seen(self, key: str) -> Seen | None:
        self._ask("seen", key)
        return self.inner.seen(key)

    def age(self, key: str) -> float:
        self._ask("age", key)
        return self.inner.age(key)

    def names(self, key: str, most: int | None = None) -> list[str]:
        is_torn = self._ask("names", key)
        found = self.inner.names(key, most)
        return found[: len(found) // 2] if is_torn else found

    def exists(self, key: str) -> bool:
        self._ask("exists", key)
        return self.inner.exists(key)

    def make(self, key: str) -> None:
        self._change("make", key, partial(self.inner.make, key))

    def put_if_absent(self, key: str, content: bytes) -> bool:
        return self._change("put_if_absent", key, partial(self.inner.put_if_absent, key, content))

    def replace(self, key: str, content: bytes) -> None:
        self._change("replace", key, partial(self.inner.replace, key, content))

    def replace_if_unchanged(self, key: str, content: bytes, before: bytes) -> bool:
        return self._change("replace_if_unchanged", key, partial(self.inner.replace_if_unchanged, key, content, before))

    def append(self, key: str, content: bytes, most: int) -> bool:
        return self._change("append", key, partial(self.inner.append, key, content, most))

    def sync(self, keys: Collection[str]) -> None:
        for key in keys:
            self._ask("sync", key)
        self.inner.sync(keys)

    def delete(self, key: str) -> None:
        self._change("delete", key, partial(self.inner.delete, key))

    def delete_all(self, key: str) -> None:
        self._change("delete_all", key, partial(self.inner.delete_all, key))

    def _ask(self, operation: str, key: str) -> bool:
        """Whether the answer is torn."""
        fault = self.faults(operation, key)
        if fault in (None, Fault.TORN):
            return fault is not None
        raise TimeoutError(f"{operation} of {self.shown(key)} had no answer")

    def _change(self, operation: str, key: str, effect: Callable[[], Result]) -> Result:
        fault = self.faults(operation, key)
        if fault in (None, Fault.TORN):
            return effect()
        if fault is Fault.AFTER:
            effect()
        elif fault is Fault.LATE:
            self.late.append(effect)
        raise TimeoutError(f"{operation} of {self.shown(key)} had no answer")
