"""The records of checkpoints: the state after an entry, and where it is said what was read up to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.home_state import HomeState


@dataclass(frozen=True)
class InputsFile:
    """A file of `size` bytes with what the entries up to `last` have read since the file before it."""

    name: str
    last: int
    size: int
    crc: int


@dataclass(frozen=True)
class Checkpoint:
    """The state after an entry, and the files with what was read up to it, in their order."""

    state: HomeState
    inputs: tuple[InputsFile, ...] = ()


@dataclass(frozen=True)
class Beginning:
    """What the entries below the floor of a log say to those above it: all that is left of them.

    `checkpoint` is the one at the floor. `lease` is the newest lease, under which the first entries were written.
    `results` are by insert the last entries that published results, or removed some.
    """

    checkpoint: Checkpoint = field(default_factory=lambda: Checkpoint(HomeState()))
    lease: Lease | None = None
    results: Mapping[str, int] = field(default_factory=dict)

    @property
    def state(self) -> HomeState:
        return self.checkpoint.state
