"""Frames that several others read: computed once, without their lineage."""

from __future__ import annotations

from pyspark.sql import DataFrame


class CheckpointedFrames:
    """Local checkpoints, which last until they are released.

    A persisted frame still has the plan that it comes from, and a plan that reads it twice contains that plan twice. A
    few such steps on top of each other take Spark longer to plan than to run. A checkpoint has no such plan.
    """

    def __init__(self) -> None:
        self._frames: list[DataFrame] = []

    def checkpointed(self, frame: DataFrame) -> DataFrame:
        """The same rows, computed when they are first read."""
        self._frames.append(frame.localCheckpoint(eager=False))
        return self._frames[-1]

    def computed(self, frame: DataFrame) -> DataFrame:
        """The same rows, computed now. An observation of them has its counts then; a later job would not fill it."""
        self._frames.append(frame.localCheckpoint())
        return self._frames[-1]

    def release(self) -> None:
        for frame in self._frames:
            frame._jdf.queryExecution().analyzed().rdd().unpersist(False)
        self._frames = []
