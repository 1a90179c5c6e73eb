"""The fixture `nrt_trial`: `report = nrt_trial("curve.sql", settings={…})`, which ends with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from airflow_nrt.testing.trial import Trial, trial


@pytest.fixture
def nrt_trial() -> Iterator[Callable[..., Trial]]:
    """Starts trials, with the arguments of `airflow_nrt.testing.trial`."""
    with ExitStack() as trials:
        yield lambda *given, **named: trials.enter_context(trial(*given, **named))
