"""How an error ends a task: what it says in the log, and whether a retry is worth it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from airflow.sdk.exceptions import AirflowException, AirflowFailException

from airflow_nrt.basics.errors import DataError, InputError, NrtError

if TYPE_CHECKING:
    from airflow.sdk.types import Logger


class FinalError(NrtError):
    """What failed a task would fail it again."""


_FINAL = (FinalError, InputError, DataError)


@contextmanager
def ending_the_task(log: Logger) -> Iterator[None]:
    """Wrong input and data that can't be computed fail a task for good; other trouble may pass with a retry.

    The cause stands in the log as lines of its own, before Airflow's trace.
    """
    try:
        yield
    except NrtError as wrong:
        cause = str(wrong)
        for line in cause.splitlines():
            log.error("%s", line)
        kind = AirflowFailException if isinstance(wrong, _FINAL) else AirflowException
        raise kind(cause) from None
