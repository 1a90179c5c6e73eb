"""Who had windows restated, and by what: a user of the machine or a task of Airflow, with the command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from getpass import getuser

OF_TASKS = ("AIRFLOW_CTX_DAG_ID", "AIRFLOW_CTX_TASK_ID", "AIRFLOW_CTX_DAG_RUN_ID")
"""Variables by which Airflow tells a task who it is. None of them is a secret."""
_MOST_LETTERS = 250


@dataclass(frozen=True)
class Author:
    """The `user` of the machine, the command of `airflow-nrt`, and the task that ran it, with its run."""

    user: str
    command: str
    task: str | None = None

    def __str__(self) -> str:
        """
        >>> print(Author("anna", "undo"), "/", Author("airflow", "backfill", "day.repair, run manual__1"))
        anna (airflow-nrt undo) / task day.repair, run manual__1 (airflow-nrt backfill)
        """
        who = self.user if self.task is None else f"task {self.task}"
        return f"{who} (airflow-nrt {self.command})"

    @classmethod
    def of_process(cls, command: str, environment: Mapping[str, str] = os.environ) -> Author:
        dag, task, run = (_shown(environment.get(name, "")) for name in OF_TASKS)
        user = f"user {os.geteuid()}"
        # A container may run as a user that nobody has named.
        with suppress(OSError, KeyError, ImportError):
            user = _shown(getuser())
        return cls(user, command, f"{dag}.{task}, run {run}" if dag and task else None)


def _shown(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_MOST_LETTERS])
