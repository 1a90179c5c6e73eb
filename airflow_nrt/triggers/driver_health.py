"""Judges a driver from successive looks at its home. It reads no clock and no file: the caller passes both."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from airflow_nrt.home.heartbeat import FAILED, FENCED, FINISHED, Heartbeat
from airflow_nrt.triggers.watch_settings import WatchSettings

ENDED, BROKEN, LOST, STALLED = "ended", "broken", "lost", "stalled"
_BY_DEFAULT = WatchSettings()
_LONGEST_GAP = 5.0
"""The most seconds that one look may add to a silence: a watcher that slept was not watching, so it can't know of a
silence."""


@dataclass(frozen=True)
class Observation:
    """One look: the heartbeat, whether the driver's process has certainly ended, and whether it was asked to stop."""

    beat: Heartbeat | None
    gone: bool = False
    stop_asked: bool = False


@dataclass(frozen=True)
class Judgement:
    """The driver ended as asked (`ended`), failed (`broken`), fell silent (`lost`) or makes no progress (`stalled`)."""

    kind: str
    epoch: int
    why: str
    final: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class DriverWatch:
    """Watches one driver, and any newer one that takes the home over.

    `certainty` and `succession` are seconds: without a heartbeat while the process is gone, between a fenced driver and
    the first heartbeat of its successor. An `endless` driver has ended as asked only if there was a request: one that
    stopped because its host went down, or because it was started by hand to read what was there, is lost.
    """

    def __init__(
        self,
        watch: WatchSettings = _BY_DEFAULT,
        endless: bool = False,
        certainty: float = 5.0,
        succession: float = 60.0,
    ) -> None:
        self.silence = watch.silence
        self.stall = watch.stall_timeout
        self.endless = endless
        self.certainty = certainty
        self.succession = succession
        self._last: tuple[int, int] | None = None
        self._progress: tuple[int, int] | None = None
        self._looked: float | None = None
        self._quiet = 0.0
        self._waiting = 0.0

    def judge(self, observation: Observation, now: float) -> Judgement | None:
        """The judgement, None as long as all is well. `now` is in seconds of a monotonic clock."""
        beat = observation.beat
        passed = 0.0 if self._looked is None else min(now - self._looked, _LONGEST_GAP)
        self._looked = now
        seen = None if beat is None else (beat.epoch, beat.beat)
        self._quiet = 0.0 if seen != self._last else self._quiet + passed
        self._last = seen
        if beat is None:
            return Judgement(LOST, 0, "there is no heartbeat") if self._quiet >= self.silence else None
        if beat.is_over:
            return self._ending(beat, observation.stop_asked)
        if self._quiet >= self.silence:
            return Judgement(LOST, beat.epoch, f"no heartbeat for {self._quiet:.0f} s")
        if observation.gone and self._quiet >= self.certainty:
            return Judgement(LOST, beat.epoch, f"its process {beat.pid} on {beat.host} is gone")
        return self._stalling(beat, passed)

    def _ending(self, beat: Heartbeat, stop_asked: bool) -> Judgement | None:
        if beat.state == FAILED:
            return Judgement(BROKEN, beat.epoch, beat.error or "it failed", beat.final)
        if beat.state == FENCED:
            why = "it was fenced, and the driver that took over shows no heartbeat"
            return Judgement(LOST, beat.epoch, why) if self._quiet >= self.succession else None
        if stop_asked or (beat.state == FINISHED and not self.endless):
            return Judgement(ENDED, beat.epoch, beat.state)
        return Judgement(LOST, beat.epoch, f"it {beat.state} without a request to stop")

    def _stalling(self, beat: Heartbeat, passed: float) -> Judgement | None:
        progress = (beat.epoch, beat.progress)
        is_stuck = beat.pending_bytes > 0 and progress == self._progress
        self._waiting = self._waiting + passed if is_stuck else 0.0
        self._progress = progress
        if self.stall is None or self._waiting < self.stall:
            return None
        why = f"no progress for {self._waiting:.0f} s while {beat.pending_bytes} bytes wait"
        return Judgement(STALLED, beat.epoch, why)
