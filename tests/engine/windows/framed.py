"""Random frames of row windows: as SQL, and what they hold by brute force."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.engine.reports import MINUTE, Event

BEFORE_TIME = -(10**15)


@dataclass(frozen=True)
class Frame:
    """Bounds are rows or minutes after the row, negative before it; None is everything before."""

    keys: tuple[str, ...]
    unit: str
    low: int | None
    high: int

    @property
    def sql(self) -> str:
        keys = f"PARTITION BY {', '.join(self.keys)} " if self.keys else ""
        low = "UNBOUNDED PRECEDING" if self.low is None else self._bound(self.low)
        return f"({keys}ORDER BY ts {self.unit} BETWEEN {low} AND {self._bound(self.high)})"

    def _bound(self, value: int) -> str:
        length = str(abs(value)) if self.unit == "ROWS" else f"INTERVAL '{abs(value)}' MINUTE"
        return f"{length} {'PRECEDING' if value < 0 else 'FOLLOWING'}" if value else "CURRENT ROW"

    def holds(self, row: Event, rows: list[Event]) -> list[Event]:
        """The rows that the frame of a row holds, of all in their order."""
        own = [one for one in rows if all(getattr(one, key) == getattr(row, key) for key in self.keys)]
        if self.unit == "ROWS":
            at = own.index(row)
            return own[0 if self.low is None else max(0, at + self.low) : max(0, at + self.high + 1)]
        first = BEFORE_TIME if self.low is None else row.at + self.low * MINUTE
        return [one for one in own if first <= one.at <= row.at + self.high * MINUTE]


def random_frames(seed: int) -> list[Frame]:
    """One that waits for a number of rows, one of a length of time, and some of any rows, in any order."""
    chance = random.Random(seed)
    keys = chance.sample(2 * [(), ("shop",), ("item",), ("shop", "item")], 3)

    def rows(keys: tuple[str, ...], least: int) -> Frame:
        return Frame(keys, "ROWS", chance.choice([None, 0, -1, -2, -4]), chance.randint(least, 3))

    length = Frame(keys[1], "RANGE", -chance.randint(1, 15), chance.choice([0, 0, 5]))
    so_far = Frame(keys[2], "RANGE", None, chance.choice([0, 0, 3]))
    frames = [rows(keys[0], 1), length, chance.choice([rows(keys[2], 0), rows(keys[2], 1), so_far])]
    chance.shuffle(frames)
    return frames


def query(frames: list[Frame]) -> str:
    calls = ", ".join(f"SUM(id) OVER {one.sql}" for one in frames)
    return f"SELECT id, {calls} FROM events"


def modelled(frames: list[Frame], arrived: list[Event]) -> dict[int, tuple[int | None, ...]]:
    """By id, what the query says of rows in their order of arrival."""
    rows = sorted(arrived, key=lambda row: row.at)
    held = {row.id: [frame.holds(row, rows) for frame in frames] for row in rows}
    return {id: tuple(sum(one.id for one in own) if own else None for own in each) for id, each in held.items()}
