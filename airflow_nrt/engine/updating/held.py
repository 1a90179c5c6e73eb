"""Frames that several others read: computed once, and without a past."""

from __future__ import annotations

from pyspark.sql import DataFrame


class Held:
    """Frames that are kept until they are released.

    A frame that is merely persisted still carries the plan that it comes from, and a plan that reads it twice has that
    twice: a few steps above each other take Spark longer to plan than to run.
    """

    def __init__(self) -> None:
        self._frames: list[DataFrame] = []

    def hold(self, frame: DataFrame) -> DataFrame:
        """The same rows; they are computed when they are first read."""
        self._frames.append(frame.localCheckpoint(eager=False))
        return self._frames[-1]

    def compute(self, frame: DataFrame) -> DataFrame:
        """The same rows, computed now: whatever counts them as they pass has counted them then, and would not later."""
        self._frames.append(frame.localCheckpoint())
        return self._frames[-1]

    def release(self) -> None:
        for frame in self._frames:
            frame._jdf.queryExecution().analyzed().rdd().unpersist(False)
        self._frames = []
