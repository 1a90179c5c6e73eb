"""What is undone when a block ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def undone(undo: Callable[[], object]) -> Iterator[None]:
    """Calls `undo` after a block. If the block fails, its failure is raised: one of `undo` may follow from it."""
    try:
        yield
    except BaseException:
        with suppress(Exception):
            undo()
        raise
    undo()
