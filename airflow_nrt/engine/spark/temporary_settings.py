"""Settings of a session that hold for some of its plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from pyspark.sql import SparkSession

from airflow_nrt.basics.undone import undone

Settings = Mapping[str, "str | None"]
"""By name; None: not set, so that the default holds."""


def settings_of(session: SparkSession, names: Iterable[str]) -> Settings:
    """These settings as they are now."""
    return {name: session.conf.get(name, None) for name in names}


def set_all(session: SparkSession, settings: Settings) -> None:
    """Makes these settings hold for the following plans."""
    for name, text in settings.items():
        if text is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, text)


@contextmanager
def setting(session: SparkSession, settings: Settings) -> Iterator[None]:
    """Within it, these settings hold. Those before are back afterwards."""
    before = settings_of(session, settings)
    with undone(partial(set_all, session, before)):
        set_all(session, settings)
        yield
