"""When versions of windows are due, by the definitions alone: what a reader of a sink should see after each batch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.result_timing import OutputOptions, Rows

BATCHES = 3
NEVER = 2**60
Row = tuple[int, int, float]
"""Shop, user, and minutes from 10:00."""


@dataclass(frozen=True)
class Grid:
    """A windowing by its definition: minutes from 10:00."""

    kind: str
    step: int
    size: int

    @property
    def sql(self) -> str:
        lengths = (self.size,) if self.kind == "TUMBLE" else (self.step, self.size)
        return f"{self.kind}({', '.join(f'''INTERVAL '{one}' MINUTE''' for one in lengths)})"

    def windows(self) -> Iterator[tuple[int, int]]:
        # Windows lie on the grid of midnight.
        for start in range(-600, 600, self.size if self.kind == "CUMULATE" else self.step):
            ends = range(start + self.step, start + self.size + 1, self.step)
            for end in ends if self.kind == "CUMULATE" else (start + self.size,):
                yield start, end


GRIDS = (
    Grid("TUMBLE", 20, 20), Grid("TUMBLE", 30, 30), Grid("HOP", 10, 20), Grid("HOP", 10, 25), Grid("HOP", 20, 10),
    Grid("CUMULATE", 10, 60), Grid("CUMULATE", 20, 40),
)  # fmt: skip


@dataclass
class Expected:
    """What a sink should hold, by the definitions alone, one window at a time."""

    grid: Grid
    timing: OutputOptions
    arrived: list[tuple[Row, float]] = field(default_factory=list)
    known: dict[tuple[int, int], list[Row]] = field(default_factory=dict)
    shown: dict[tuple[int, int], list[Row]] = field(default_factory=dict)

    def absorb(self, rows: list[Row], before: float, now: float) -> set[int]:
        """The ends of the windows that get a version; watermarks in minutes."""
        self.arrived += [(row, before) for row in rows]
        minutes = [row[2] for row, _ in self.arrived]
        # Windows without rows have no version.
        first, last = min(minutes, default=NEVER), max(minutes, default=-NEVER)
        windows = [(start, end) for start, end in self.grid.windows() if start <= last and first < end]
        return {end for start, end in windows if self._publishes(start, end, before, now)}

    def _publishes(self, start: int, end: int, before: float, now: float) -> bool:
        first, complete, final = (
            end + at / MINUTE for at in (self.timing.earliest, self.timing.complete_result, self.timing.final)
        )
        rows = [row for row, seen in self.arrived if start <= row[2] < end and seen < final - 1 / MINUTE]
        if not rows:
            return False

        def passed(instant: float) -> bool:
            return before < instant - 1 / MINUTE <= now

        new = len(rows) - len(self.shown.get((start, end), ()))
        rate = self.timing.update_rate
        updates = []
        if isinstance(rate, int):
            count = int((complete - first) * MINUTE // rate) + 1
            updates = [one for k in range(1, count + 1) if (one := first + k * rate / MINUTE) < complete]
        has_first = first - 1 / MINUTE <= now
        is_complete = complete - 1 / MINUTE <= now
        is_due = passed(first) or passed(complete)
        is_due = is_due or (any(map(passed, updates)) and not is_complete)
        if has_first and not is_complete and not isinstance(rate, int):
            is_due = is_due or new >= (rate.count if isinstance(rate, Rows) else 1)
        is_due = is_due or (is_complete and new > 0)
        if is_due:
            self.shown[start, end] = rows
        return is_due

    def rows(self) -> list[tuple[int, float, float, int, int]]:
        found = []
        for (start, end), rows in self.shown.items():
            for shop in {row[0] for row in rows}:
                mine = [row for row in rows if row[0] == shop]
                found.append((shop, start, end, len(mine), len({row[1] for row in mine})))
        return sorted(found)


def random_timing(chance: random.Random) -> OutputOptions:
    """Any options that do not contradict each other."""
    while True:
        late = chance.random() < 0.6
        first = chance.choice((None, *(-minutes * MINUTE for minutes in (0, 3, 10, 20, 45))))
        complete = chance.choice((0, 0, 4, 10)) * MINUTE
        rate = chance.choice((None, 2 * MINUTE, 5 * MINUTE, 7 * MINUTE, Rows(2), Rows(5)))
        last = complete + chance.choice((3, 15, 40, 90)) * MINUTE if late else None
        try:
            timing = OutputOptions(first, complete, rate, late, last)
            timing.check_of_windows()
        except InputError:
            continue
        return timing


@dataclass
class ExpectedSessions:
    """The same of sessions with a gap in minutes. A session that is there says its (start, end), in milliseconds, and
    its rows; those that time has closed stay, and take no rows."""

    gap: int
    timing: OutputOptions
    there: list[Session] = field(default_factory=list)
    shown: list[Session] = field(default_factory=list)

    def absorb(self, rows: list[Row], before: float, now: float) -> set[int]:
        """The slots, minutes, whose sessions a reader sees otherwise than before."""
        times = int(before * MINUTE), int(now * MINUTE)
        for island in self._islands(rows):
            open_ones = [one for one in self.there if one.end + self.timing.final - 1 > times[0]]
            whole = [island, *(one for one in open_ones if one.touches(island))]
            session = Session.of(whole)
            if session.end + self.timing.final - 1 > times[0]:
                self.there = [one for one in self.there if one not in whole] + [session]
        due = [one for one in self.there if self._is_due(one, *times)]
        stood = self.shown
        kept = [one for one in stood if not any(one.is_part_of(other) for other in due)]
        # What has grown is shown as it was until that would have been complete.
        over = [one for one in kept if one not in self.there and one.end + self.timing.complete_result - 1 <= times[1]]
        self.shown = [one for one in kept if one not in over] + due
        slots = (_by_slot(stood), _by_slot(self.shown))
        return {slot for slot in slots[1] if slots[0].get(slot) != slots[1][slot]}

    def _islands(self, rows: list[Row]) -> list[Session]:
        """Rows of a batch that touch, the latest first."""
        found: list[Session] = []
        for shop, user, minute in sorted(rows, key=lambda row: row[2]):
            at = int(minute * MINUTE)
            one = Session(shop, at, at + self.gap * MINUTE, (user,))
            touching = [other for other in found if other.touches(one)]
            found = [other for other in found if other not in touching] + [Session.of([*touching, one])]
        return sorted(found, key=lambda one: -one.start)

    def _is_due(self, session: Session, before: int, now: int) -> bool:
        first, complete = session.end + self.timing.earliest - 1, session.end + self.timing.complete_result - 1
        if before < first <= now or before < complete <= now:
            return True
        if complete <= now:
            # Where nothing has changed since, a version changes nothing either.
            return self.timing.late_updates
        rate = self.timing.update_rate
        if isinstance(rate, Rows):
            known = sum(len(one.users) for one in self.shown if one.is_part_of(session))
            return first <= now and len(session.users) - known >= rate.count
        return first <= now and (rate is None or (now - first) // rate > (before - first) // rate)

    def rows(self) -> list[tuple[int, float, float, int, int]]:
        return sorted(
            (one.shop, one.start / MINUTE, one.end / MINUTE, len(one.users), len({*one.users})) for one in self.shown
        )


@dataclass(frozen=True)
class Session:
    shop: int
    start: int
    end: int
    users: tuple[int, ...]

    @classmethod
    def of(cls, parts: list[Session]) -> Session:
        users = tuple(user for one in parts for user in one.users)
        return cls(parts[0].shop, min(one.start for one in parts), max(one.end for one in parts), users)

    def touches(self, other: Session) -> bool:
        return self.shop == other.shop and self.start <= other.end and other.start <= self.end

    def is_part_of(self, other: Session) -> bool:
        return self.shop == other.shop and other.start <= self.start and self.end <= other.end


def _by_slot(sessions: list[Session]) -> dict[int, set[tuple[object, ...]]]:
    """What a reader sees, by the minute that a session ends in."""
    found: dict[int, set[tuple[object, ...]]] = {}
    for one in sessions:
        content = (one.shop, one.start, one.end, len(one.users), len({*one.users}))
        found.setdefault(-(-one.end // MINUTE), set()).add(content)
    return found


def timing_of_versions(chance: random.Random) -> OutputOptions:
    """What is published once has no versions: a slot of such sessions has a file for each firing."""
    return next(one for one in iter(lambda: random_timing(chance), None) if not one.publishes_once)


def arrival(chance: random.Random) -> list[list[Row]]:
    """Rows of an hour and a half, a third of them late, in batches."""
    rows = [(chance.randint(1, 2), chance.randint(1, 5), chance.randrange(0, 900) / 10) for _ in range(45)]
    rows.sort(key=lambda row: row[2] + (chance.randrange(60) if chance.random() < 0.35 else 0))
    places = sorted(chance.sample(range(1, len(rows)), BATCHES - 1))
    return [rows[a:b] for a, b in zip([0, *places], [*places, len(rows)])]
