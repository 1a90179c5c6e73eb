"""The interface of a kind of updating operator: with the rows of a batch, with time, and with all rows at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.compaction import Files
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.checkpointed_frames import CheckpointedFrames


@dataclass(frozen=True)
class HeldState:
    """An operator's state before a batch, and the time.

    `moment` is the watermark (ms) that the state is as of, None before there is any. `clock` is the processing time
    (ms). State up to `past` (ms) has expired. `frames` are released after the batch.
    """

    store: SliceStore
    frames: CheckpointedFrames
    files: Files
    moment: int | None
    clock: int
    past: int | None


class UpdatingExecution(ABC):
    """An operator, by its kind."""

    @property
    @abstractmethod
    def needs_position(self) -> bool:
        """Whether it needs the places of rows on arrival."""

    @abstractmethod
    def compute(self, rows: DataFrame, tasks: Tasks) -> DataFrame:
        """In batch: the whole result, with `_nrt_after` true, from all rows of its inputs."""

    @abstractmethod
    def absorb(self, held: HeldState, rows: DataFrame) -> tuple[Files, DataFrame | None]:
        """The state after a batch of these rows, and the rows that changed; None if none changes yet."""

    def moved(self, held: HeldState, to: int) -> tuple[Files, DataFrame] | None:
        """The state at the watermark `to` (ms), and the rows that come or go by that; None if none can."""
        return None

    def ended(self, held: HeldState) -> DataFrame | None:
        """The rows that are emitted once all sources below have ended; None if there are none."""
        return None
