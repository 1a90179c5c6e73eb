"""A demonstration, what it has shown, and what of it is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.demo import example_dags
from airflow_nrt.demo.summary import Summary

SOURCES = ("files", "kafka")
SINKS = ("files", "postgres")


@dataclass(frozen=True)
class DemoRequest:
    """Where orders arrive, one of `SOURCES`, and where the curve is published, one of `SINKS`.

    `dags` is the directory of the example DAGs. `keep`: Airflow and servers stay up afterwards. `repository` is a Maven
    repository that is asked before Maven Central.
    """

    source: str = SOURCES[0]
    sink: str = SINKS[0]
    dags: Path = field(default_factory=example_dags)
    keep: bool = False
    repository: str | None = None

    def __post_init__(self) -> None:
        """Raises InputError for an unknown source or sink."""
        for option, name, kinds in (("source", self.source, SOURCES), ("sink", self.sink, SINKS)):
            if name not in kinds:
                raise InputError(f"--{option} is {' or '.join(kinds)}, not {name!r}{nearest(name, kinds)}")


@dataclass(frozen=True)
class StillUp:
    """What was kept: processes, to be ended by SIGTERM, and the directory of all files."""

    pids: tuple[int, ...]
    place: Path

    @property
    def end(self) -> str:
        """The command that ends it."""
        return f"kill {' '.join(map(str, self.pids))}; rm -r {self.place}"


@dataclass(frozen=True)
class DemoResult:
    """`still_up` is None if nothing was kept."""

    summary: Summary
    still_up: StillUp | None
