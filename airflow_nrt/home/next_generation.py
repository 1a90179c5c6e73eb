"""The generation of a changed report, while it is computed beside the one that counts."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.home.generations import FIRST, GENERATIONS, generation_before, later_generations
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home, Replan
from airflow_nrt.home.skipped import ask, asked
from airflow_nrt.model.plan import Plan

log = logging.getLogger(__name__)


def next_generation(home: Home) -> Home | None:
    """The one that is computed, None if there is none. Raises HomeError for a directory that is not trusted."""
    newest = max(later_generations(home.base), default=FIRST)
    if newest <= home.generation:
        return None
    found = home.of_generation(newest)
    return found if found.report_file.exists() else None


def begin_next(home: Home, plan: Plan, replan: Replan) -> Home:
    """The next generation, for this report, which leaves out the same rows of sources. One that was begun for another
    report is given up. Raises HomeError."""
    found = next_generation(home)
    if found is None or not is_begun_for(home, plan, replan):
        give_up_next(home)
        # A driver of one that was given up may still write there.
        found = home.of_generation(max([home.generation, *later_generations(home.base)]) + 1)
        found.make(plan)
        found.keep_outline(plan)
    known = asked(found)
    for source, rows in asked(home).items():
        if new := [row for row in rows if row not in known.get(source, ())]:
            ask(found, source, new)
    return found


def is_begun_for(home: Home, plan: Plan, replan: Replan) -> bool:
    """Whether the next generation is of this report. Raises HomeError."""
    found = next_generation(home)
    try:
        return found is not None and not found.additions(plan, replan)
    except InputError as other:
        log.info("generation %s is of another report: %s", found.generation if found else "", other)
        return False


def give_up_next(home: Home) -> None:
    """Removes the generations after this one, which have published nothing, but for their numbers."""
    for number in later_generations(home.base):
        if number > home.generation:
            log.info("what was computed of generation %s is removed", number)
            directory = home.base / GENERATIONS / str(number)
            directory.delete_all()
            directory.make()


def former_of(home: Home) -> Home | None:
    """The generation whose place this one has taken, None if there is none. Raises HomeError."""
    before = None if home.generation == FIRST else generation_before(home.base, home.generation)
    return None if before is None else home.of_generation(before)


def formers_of(home: Home) -> Iterator[Home]:
    """All generations whose places were taken until this one came, the last one first. Raises HomeError."""
    found = former_of(home)
    while found is not None:
        yield found
        found = former_of(found)


def counts_from(home: Home) -> int:
    """The number of the first entry that was written when this generation counted: 0 for the first generation.

    Raises HomeError.
    """
    former = former_of(home)
    if former is None:
        return 0
    before, log = former.log(), home.log()
    came = before.read(before.last).time
    return bisect_right(range(log.first, log.last + 1), came, key=lambda n: log.read(n).time) + log.first


def is_computed(home: Home) -> bool:
    """Whether the driver of the home also computes the next generation. Raises HomeError."""
    found = next_generation(home)
    beats = [None if one is None else read_heartbeat(one.heartbeats) for one in (home, found)]
    marks = {None if one is None or one.is_over else (one.host, one.pid, one.process_start) for one in beats}
    return None not in marks and len(marks) == 1


@dataclass(frozen=True)
class Rebuilding:
    """How far the next `generation` is: it has read so many `rows`, of those that the one that counts has read.

    `driver` is the state of its heartbeat, `error` what ended it or what it waits for.
    """

    generation: int
    rows: int
    rows_before: int
    driver: str
    error: str | None

    def __str__(self) -> str:
        share = f"{min(100 * self.rows // self.rows_before, 100)} %" if self.rows_before else "nothing"
        text = f"generation {self.generation} has read {self.rows:,} of {self.rows_before:,} rows ({share}): "
        return text + self.driver + (f", {self.error}" if self.error else "")


def rebuilding(home: Home) -> Rebuilding | None:
    """None if no changed report is computed. Raises HomeError if a log can't be read."""
    found = next_generation(home)
    if found is None:
        return None
    rows, before = (sum(one.rows for one in of.log().position().sources.values()) for of in (found, home))
    try:
        beat = read_heartbeat(found.heartbeats)
    except HomeError as wrong:
        return Rebuilding(found.generation, rows, before, "unknown", str(wrong))
    driver, error = ("none", None) if beat is None else (beat.state, beat.error)
    return Rebuilding(found.generation, rows, before, driver, error)
