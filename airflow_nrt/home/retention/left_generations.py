"""Generations that were left go after a while: their results are replaced, and their logs say nothing that counts."""

from __future__ import annotations

import logging

from airflow_nrt.home.directories import PARTS
from airflow_nrt.home.generations import (
    FIRST,
    GENERATIONS,
    first_generation,
    generation_that_counts,
    later_generations,
    set_first,
)
from airflow_nrt.home.home import Home
from airflow_nrt.home.next_generation import former_of, formers_of

_SHARED = (GENERATIONS, "launches", "notes")
"""What belongs to all generations, or has a part that does."""
_SHARED_NOTES = ("tasks", "supervisors")

log = logging.getLogger(__name__)


def remove_left(home: Home, keep: int, now: int) -> list[int]:
    """Removes the generations before this one whose successors came more than `keep` ms ago, and gives their numbers.

    Nothing goes unless this one counts, and as long as results of it wait: a table may still have those of the one
    before. Whoever is killed in between can begin again. Raises OSError, HomeError.
    """
    is_it = home.generation != FIRST and home.generation == generation_that_counts(home.base)
    if not is_it or home.staged.names(1):
        return []
    first, numbers = first_generation(home.base), (FIRST, *later_generations(home.base))
    successors = (one.generation for one in (home, *formers_of(home)) if _left_long_ago(former_of(one), now - keep))
    kept = next(successors, first)
    if first < kept:
        # Before anything goes: whoever looks for the generation that counts begins with this one.
        set_first(home.base, kept)
        log.info("generation %s, which was left, is removed", ", ".join(str(n) for n in numbers if first <= n < kept))
    for number in numbers:
        if number < kept:
            _remove(home, number)
    return [number for number in numbers if first <= number < kept]


def _left_long_ago(former: Home | None, before: int) -> bool:
    if former is None:
        return False
    log_of_it = former.log()
    return log_of_it.read(log_of_it.last).time <= before


def _remove(home: Home, number: int) -> None:
    if number != FIRST:
        (home.base / GENERATIONS / str(number)).delete_all()
        return
    for part in PARTS:
        if part not in _SHARED:
            (home.base / part).delete_all()
    for note in (home.base / "notes").names():
        if note not in _SHARED_NOTES:
            (home.base / "notes" / note).delete_all()
