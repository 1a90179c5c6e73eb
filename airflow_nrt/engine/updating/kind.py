"""What a kind of updating operator does with the rows of a batch, with time, and with all rows at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.held import Held
from airflow_nrt.home.log.entries import StateFile

Files = tuple[StateFile, ...]


@dataclass(frozen=True)
class Standing:
    """What an operator finds in a batch: its state, and the time.

    `moment` is the watermark (ms) that it stands at, None before there is any. `clock` is the processing time (ms), and
    what is older than `past` (ms) is forgotten.
    """

    store: SliceStore
    held: Held
    files: Files
    moment: int | None
    clock: int
    past: int | None


class Kind(ABC):
    """One operator, by its kind."""

    @property
    @abstractmethod
    def needs_position(self) -> bool:
        """Whether it looks at where rows stood on arrival."""

    @abstractmethod
    def compute(self, rows: DataFrame, tasks: Tasks) -> DataFrame:
        """The whole result, all of it `_nrt_after`, from all rows of its inputs at once: the batch."""

    @abstractmethod
    def absorb(self, standing: Standing, rows: DataFrame) -> tuple[Files, DataFrame | None]:
        """The state with the rows of a batch, and what changes by them; None if nothing does yet."""

    def moved(self, standing: Standing, to: int) -> tuple[Files, DataFrame] | None:
        """The state once the watermark is `to` (ms), and the rows that come and go by that; None if none can."""
        return None

    def ended(self, standing: Standing) -> DataFrame | None:
        """What comes now that all sources below have ended; None if nothing does."""
        return None
