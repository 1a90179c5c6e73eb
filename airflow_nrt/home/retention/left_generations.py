"""Generations that were left go after a while: their results are replaced, and their logs say nothing that counts."""

from __future__ import annotations

import logging

from airflow_nrt.home.directories import PARTS
from airflow_nrt.home.generations import FIRST, GENERATIONS, first_generation, later_generations, log_of, set_first
from airflow_nrt.home.home import Home
from airflow_nrt.home.next_generation import former_of

_SHARED = (GENERATIONS, "launches", "notes")
"""What belongs to all generations, or has a part that does."""
_SHARED_NOTES = ("tasks", "supervisors")

log = logging.getLogger(__name__)


def remove_left(home: Home, keep: int, now: int) -> list[int]:
    """Removes the generations before this one whose successors came more than `keep` ms ago, and gives their numbers.

    Nothing goes as long as results of this one wait: a table may still have those of the one before. Whoever is killed
    in between can begin again. Raises OSError, HomeError.
    """
    if home.generation == FIRST or home.staged.names(1):
        return []
    kept = home.generation
    one: Home | None = home
    while one is not None:
        former = former_of(one)
        if former is None or _left_at(former) + keep <= now:
            kept = one.generation
            break
        one = former
    first, numbers = first_generation(home.base), (FIRST, *later_generations(home.base))
    if first < kept:
        # Before anything goes: whoever looks for the generation that counts begins with this one.
        set_first(home.base, kept)
        log.info("generation %s, which was left, is removed", ", ".join(str(n) for n in numbers if first <= n < kept))
    for number in numbers:
        if number < kept:
            _remove(home, number)
    return [number for number in numbers if first <= number < kept]


def _left_at(former: Home) -> int:
    left = log_of(former.base, former.generation)
    return left.read(left.last).time


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
