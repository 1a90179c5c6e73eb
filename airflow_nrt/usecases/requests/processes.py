"""What this process and one that it has started agree on: a command (`cli/child.py`), or an answer (`answering.py`)."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from airflow_nrt.basics.errors import DataError, HomeError, InputError, NrtError, SurroundingsError

PROGRAM = "airflow_nrt.cli.child"
"""The module that a task's child runs: `python -m PROGRAM COMMAND …`. The task can't import it: it loads the engine."""
WRONG_INPUT, WRONG_DATA = 2, 3
"""Exit statuses of a task's child for which a retry would fail again."""
KINDS = {kind.__name__: kind for kind in (NrtError, InputError, DataError, HomeError, SurroundingsError)}
"""The errors that keep their kind in an answer; a subclass is reported as the nearest of these."""


class Question(Protocol):
    """A request that a process of its own answers, because code of a report's authors may be imported for it."""

    question: ClassVar[str]
    """Its name, by which that process knows what is asked."""

    def to_json(self) -> dict[str, Any]: ...
