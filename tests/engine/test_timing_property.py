"""Random timings, random arrival, random cuts: whenever a reader looks, the sink holds what the rows give that count.

`NRT_TIMINGS=10` tries so few random timings instead of two hundred.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from airflow_nrt.engine.verify import verify
from airflow_nrt.report.durations import MINUTE
from airflow_nrt.report.errors import InputError
from airflow_nrt.report.instants import from_datetime
from airflow_nrt.report.timing import OutputOptions, Rows
from tests.engine.timed import TEN, Scripted, timed_insert

TIMINGS = int(os.environ.get("NRT_TIMINGS", "200"))
TOGETHER = 20
"""So many inserts of one stream; every tenth stream is verified, too."""
BATCHES = 3
NEVER = 2**60
Row = tuple[int, int, float]


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
    """What a sink should hold, told by the definitions alone, one window at a time."""

    grid: Grid
    timing: OutputOptions
    arrived: list[tuple[Row, float]] = field(default_factory=list)
    known: dict[tuple[int, int], list[Row]] = field(default_factory=dict)
    shown: dict[tuple[int, int], list[Row]] = field(default_factory=dict)

    def absorb(self, rows: list[Row], before: float, now: float) -> set[int]:
        """The ends of the windows that get a version; watermarks in minutes."""
        self.arrived += [(row, before) for row in rows]
        return {end for start, end in self.grid.windows() if self._publishes(start, end, before, now)}

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
        told = passed(first) or passed(complete)
        told = told or (any(map(passed, updates)) and not is_complete)
        if has_first and not is_complete and not isinstance(rate, int):
            told = told or new >= (rate.count if isinstance(rate, Rows) else 1)
        told = told or (is_complete and new > 0)
        if told:
            self.shown[start, end] = rows
        return told

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


@pytest.mark.parametrize("seed", range(-(-TIMINGS // TOGETHER)))
def test_whenever_a_reader_looks(spark, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    grids = chance.sample(GRIDS, 2)
    expected = {f"t{n}": Expected(chance.choice(grids), random_timing(chance)) for n in range(TOGETHER)}
    inserts = [timed_insert(one.grid.sql, one.timing, name) for name, one in expected.items()]
    stream = Scripted(spark, tmp_path, *inserts)
    before: float = -NEVER
    seen = dict.fromkeys(expected, 0)
    for batch in _arrival(chance):
        if chance.random() < 0.3:
            stream.restart()
        stream.absorb(*batch)
        now = max([before, *(row[2] for row in batch)])
        for name, one in expected.items():
            due = one.absorb(batch, before, now)
            versions = stream.published(name)[seen[name] :]
            seen[name] += len(versions)
            assert {version.end for version in versions} == due, (name, one.grid, one.timing)
            assert len(versions) == len(due), (name, one.grid, one.timing)
            assert _read(stream, name) == one.rows(), (name, one.grid, one.timing)
        before = now
    stream.stream.end()
    for name, one in expected.items():
        one.absorb([], before, NEVER)
        assert _read(stream, name) == one.rows(), (name, one.grid, one.timing)
    if seed % 10 == 0:
        verdict = verify(spark, stream.plan, stream.stream.home)
        assert verdict.is_proven, verdict


def _arrival(chance: random.Random) -> list[list[Row]]:
    """Rows of an hour and a half, a third of them late, in batches."""
    rows = [(chance.randint(1, 2), chance.randint(1, 5), chance.randrange(0, 900) / 10) for _ in range(45)]
    rows.sort(key=lambda row: row[2] + (chance.randrange(60) if chance.random() < 0.35 else 0))
    places = sorted(chance.sample(range(1, len(rows)), BATCHES - 1))
    return [rows[a:b] for a, b in zip([0, *places], [*places, len(rows)])]


def _read(stream: Scripted, name: str) -> list[tuple[int, float, float, int, int]]:
    def minutes(text: str) -> float:
        return (from_datetime(datetime.fromisoformat(text)) - TEN) / MINUTE

    return sorted(
        (row["shop"], minutes(row["window_start"]), minutes(row["window_end"]), row["n"], row["users"])
        for row in stream.rows(name)
    )
