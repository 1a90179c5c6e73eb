"""An end of the demonstration's report: what it needs beside Airflow and Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar


class Endpoint:
    """A source or a sink in the directory `place`. By default it needs nothing.

    `name` is how people choose it, `jars` are names that `airflow-nrt prepare` takes. `example` is the report among the
    examples that has this end.
    """

    name: ClassVar[str]
    example: ClassVar[str]
    jars: ClassVar[tuple[str, ...]] = ()

    def __init__(self, place: Path) -> None:
        self.place = place

    def check(self) -> None:
        """Raises InputError if this machine lacks what can't be fetched."""

    def is_fetched(self) -> bool:
        """Whether all is here that `fetch` fetches."""
        return True

    def fetch(self, repository: str | None) -> None:
        """Fetches servers; `repository` is asked first. Raises InputError if they can't be had."""

    def start(self, mark: Mapping[str, str]) -> None:
        """Starts servers, whose processes get the variables of `mark`. Raises NrtError if one does not start."""

    def stop(self) -> None:
        """Ends what was started, also where only a part of it was."""

    @property
    def pids(self) -> Sequence[int]:
        """The processes that run."""
        return ()

    @property
    def settings(self) -> Mapping[str, str]:
        """What the report's placeholders are, for commands."""
        return {}

    @property
    def environment(self) -> Mapping[str, str]:
        """What Airflow's processes read of it."""
        return {}
