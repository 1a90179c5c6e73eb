"""Where to cut a stream into batches, so that the watermark of a batch judges each row as Flink judges it, row by row.

A *judge* follows the stream as Flink does. It is asked, before each row, whether a batch that began at an older
watermark would treat the row otherwise; then it is told the row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from airflow_nrt.model.windows import Window

BEFORE_TIME = -(10**15)


Row = tuple[int, str]
"""Rowtime and key."""


class Judge(Protocol):
    def differs(self, at: int, key: str, began: int, now: int) -> bool:
        """Whether a batch that began at watermark `began` treats this row otherwise than Flink does at `now`."""

    def begin(self) -> None:
        """A batch begins."""

    def take(self, at: int, key: str, now: int) -> None:
        """The row arrives at watermark `now`."""


@dataclass
class Slices:
    """TUMBLE, HOP and CUMULATE: what counts is the first window that is not complete."""

    window: Window

    def differs(self, at: int, key: str, began: int, now: int) -> bool:
        slice_end = self.window.slice_end(at)
        return self.window.counted_from(slice_end, began) != self.window.counted_from(slice_end, now)

    def begin(self) -> None: ...

    def take(self, at: int, key: str, now: int) -> None: ...


Span = tuple[int, int]


@dataclass
class Sessions:
    """SESSION: which sessions, still open, the row joins; and whether it would lead late rows of its batch to one."""

    gap: int
    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    dropped: list[tuple[str, int]] = field(default_factory=list)

    def begin(self) -> None:
        self.dropped = []

    def differs(self, at: int, key: str, began: int, now: int) -> bool:
        leads = any(key == other and abs(at - late) <= self.gap for other, late in self.dropped)
        return leads or self._joined(at, key, began) != self._joined(at, key, now)

    def take(self, at: int, key: str, now: int) -> None:
        joined, is_late = self._joined(at, key, now)
        if is_late:
            self.dropped.append((key, at))
        else:
            others = [span for span in self.spans[key] if span not in joined]
            bounds = [at, at + self.gap, *(bound for span in joined for bound in span)]
            self.spans[key] = [*others, (min(bounds), max(bounds))]

    def _joined(self, at: int, key: str, watermark: int) -> tuple[list[Span], bool]:
        """The sessions that the row touches and that have not fired, and whether it is late."""
        open_ = [span for span in self.spans[key] if span[1] - 1 > watermark]
        joined = [span for span in open_ if span[0] <= at + self.gap and at <= span[1]]
        return joined, not joined and at + self.gap - 1 <= watermark


@dataclass
class Life:
    """Rows of a key that see each other, each with the watermark at which it came. The key is forgotten at `stays`."""

    born: int
    stays: int | None = None
    rows: tuple[tuple[int, int], ...] = ()

    def at(self, watermark: int) -> Life:
        """This life, or a new one if it is over."""
        is_over = self.stays is not None and self.stays <= watermark and self.born < watermark
        return self if self.rows and not is_over else Life(watermark)

    def with_row(self, at: int, watermark: int, frame: int | None) -> Life:
        stays = self.stays
        if frame is not None and (stays is None or stays < at + frame + 1):
            stays = at + frame * 3 // 2 + 1
        return Life(self.born, stays, (*self.rows, (at, watermark)))


@dataclass
class Fired:
    """OVER with bounded frames: whether a row of the key, at or behind this one's time, has fired; and which rows of
    its key it looks at, where an interval is the `frame` and keys are forgotten."""

    frame: int | None
    lives: dict[str, Life] = field(default_factory=lambda: defaultdict(lambda: Life(BEFORE_TIME)))
    earlier: dict[str, Life] = field(default_factory=dict)

    def begin(self) -> None:
        self.earlier = dict(self.lives)

    def differs(self, at: int, key: str, began: int, now: int) -> bool:
        flinks, before = self.lives[key].at(now), self.earlier.get(key, Life(BEFORE_TIME))
        ours = before.at(began).rows
        batch = self.lives[key].rows[len(before.rows) if self.lives[key].born == before.born else 0 :]
        if ours + batch != flinks.rows:
            return True
        return any(at <= one <= began for one, _ in ours) != self._is_late(flinks, at, now)

    def _is_late(self, life: Life, at: int, now: int) -> bool:
        return any(at <= one <= now and now > then for one, then in life.rows)

    def take(self, at: int, key: str, now: int) -> None:
        life = self.lives[key].at(now)
        self.lives[key] = life if self._is_late(life, at, now) else life.with_row(at, now, self.frame)


class Passed:
    """OVER with an unbounded frame: whether the watermark has passed the row."""

    def begin(self) -> None: ...

    def differs(self, at: int, key: str, began: int, now: int) -> bool:
        return (at <= began) != (at <= now)

    def take(self, at: int, key: str, now: int) -> None: ...


def cut(rows: Sequence[Row], delay: int, judge: Judge | None) -> Iterator[list[int]]:
    """Rows by number in batches: one where nothing can be late, without a judge."""
    batch: list[int] = []
    began = now = BEFORE_TIME
    for row, (at, key) in enumerate(rows):
        if judge is not None and batch and judge.differs(at, key, began, now):
            yield batch
            batch, began = [], now
            judge.begin()
        batch.append(row)
        if judge is not None:
            judge.take(at, key, now)
        now = max(now, at - delay)
    yield batch
