"""How an error ends a task: its message in the log, and whether a retry makes sense."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from airflow.providers.common.compat.sdk import AirflowException, AirflowFailException

from airflow_nrt.basics.errors import DataError, InputError, NrtError

if TYPE_CHECKING:
    from airflow.sdk.types import Logger


class FinalError(NrtError):
    """A retry of the task would fail again."""


_FINAL = (FinalError, InputError, DataError)


@contextmanager
def ending_the_task(log: Logger) -> Iterator[None]:
    """Wrong input and data that can't be computed fail a task for good; after other failures a retry may succeed.

    The cause is in the log as lines of its own, before Airflow's stack trace.
    """
    try:
        yield
    except NrtError as wrong:
        cause = str(wrong)
        for line in cause.splitlines():
            log.error("%s", line)
        kind = AirflowFailException if isinstance(wrong, _FINAL) else AirflowException
        raise kind(cause) from None
