"""Which tests stay together in one process of pytest-xdist, and in which order they begin.

A file is one unit: its tests share what is slow to make, as the golden statements share a report. All tests that need
an Airflow share one, which takes longest, and so do those that run commands, or drivers, in a Java that lives on. Slow
tests wait for processes of theirs: their units stand evenly among the others, so that while one waits, others compute.
The golden cases and the random timings share nothing but Spark: they come last, one by one, so that at the end no
process waits for another.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdist.scheduler import LoadScopeScheduling

AIRFLOW = "an Airflow"
TOGETHER = {
    AIRFLOW: ("tests/dags/",),
    "a Java of commands": (
        "tests/cli/test_backfill.py",
        "tests/cli/test_home_commands.py",
        "tests/cli/test_new.py",
        "tests/cli/test_query.py",
        "tests/cli/test_wrong_data.py",
        "tests/cli/test_wrong_input.py",
    ),
    "a Java of drivers": (
        "tests/engine/dimensions/test_killed.py",
        "tests/engine/driver/test_crash.py",
        "tests/engine/driver/test_crash_versions.py",
        "tests/engine/driver/test_fencing.py",
        "tests/engine/sinks/jdbc/test_story.py",
        "tests/engine/sinks/lakehouse/test_crash.py",
    ),
}
"""What is slow to make, and who shares it."""
ALONE = (
    "tests/engine/versions/test_timing_property.py",
    "tests/golden/test_golden.py",
    "tests/golden_table/",
)


def unit_of(test: str) -> str:
    """The unit of a test, by its node id."""
    for shared, files in TOGETHER.items():
        if test.startswith(files):
            return shared
    return test if test.startswith(ALONE) else test.partition("::")[0]


def put_in_order(items: list[pytest.Item]) -> None:
    """Airflow's unit first, those of one test last, and in between slow ones evenly among the others."""
    units = dict.fromkeys(unit_of(item.nodeid) for item in items)
    slow = dict.fromkeys(unit_of(item.nodeid) for item in items if item.get_closest_marker("slow"))
    first = [AIRFLOW] if AIRFLOW in units else []
    last = [unit for unit in units if unit.startswith(ALONE)]
    waiting = [unit for unit in slow if unit not in (*first, *last)]
    computing = [unit for unit in units if unit not in (*first, *last, *waiting)]
    place = {unit: number for number, unit in enumerate([*first, *mixed(waiting, computing), *last])}
    items.sort(key=lambda item: place[unit_of(item.nodeid)])


def mixed(some: Sequence[str], others: Sequence[str]) -> list[str]:
    """Both, each in its order, and evenly."""
    places = [((number + 0.5) / len(units), unit) for units in (some, others) for number, unit in enumerate(units)]
    return [unit for _, unit in sorted(places, key=lambda one: one[0])]


class Units(LoadScopeScheduling):
    """Units in their order; by itself, pytest-xdist begins with those of the most tests, not with the longest."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
