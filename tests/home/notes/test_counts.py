"""Notes of what could not be computed or taken: an entry counts once, also where it is computed again."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.home.notes.left_out import LeftOut, left_out_rows, note_left_out
from airflow_nrt.home.notes.nulled import NulledExpression, note_nulled, nulled_expressions
from tests.launch.homes import new_home


def test_an_entry_counts_once(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    two, one = NulledExpression(2, "7 / 0", {"here": 2}), NulledExpression(1, "8 / 0", {"there": 1})
    for entry, found in ((3, two), (4, one), (4, one), (5, two), (5, two)):
        note_nulled(home, entry, {"n / i": found})
        note_left_out(home, entry, {"curve": {"too long": LeftOut(found.count, f"row of {entry}")}})
    assert nulled_expressions(home) == {"n / i": NulledExpression(5, "7 / 0", {"there": 1, "here": 4})}
    assert left_out_rows(home) == {"curve": {"too long": LeftOut(5, "row of 5")}}
    note_nulled(home, None, {"n / i": one})
    # What was to be the fifth entry has none, after all.
    note_nulled(home, 5, {})
    note_left_out(home, 5, {})
    note_nulled(home, 6, {})
    assert nulled_expressions(home) == {"n / i": NulledExpression(4, "8 / 0", {"here": 2, "there": 2})}
    assert left_out_rows(home) == {"curve": {"too long": LeftOut(3, "row of 4")}}


def test_the_newest_places_are_kept(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    for n in range(50):
        note_nulled(home, n, {"n / i": NulledExpression(1, f"{n} / 0", {f"row {n}": 1})})
    found = nulled_expressions(home)["n / i"]
    assert (found.count, found.last, list(found.places)) == (50, "49 / 0", [f"row {n}" for n in range(30, 50)])
