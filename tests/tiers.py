"""What a test needs: nothing but its own process, a Spark session, processes, servers, Airflow, a browser.

Collection finds it in the fixtures that a test asks for, directly or through others. A test whose product code starts
processes says so by a mark (`pytestmark = pytest.mark.process`), a fixture by asking for the fixture `process` or
`airflow`. A test is marked with all that it needs; its tier is the heaviest of them.

`unit` is what needs nothing of these. It may import Airflow and build operators, and listen on a port of this process.
It may start no process, not even git or Python, and not open Airflow's metadata database: `strict.py` sees to it.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

TIERS = {
    "unit": "needs nothing but this process: make test-unit",
    "spark": "needs a Spark session",
    "process": "starts processes, or a Spark session of its own",
    "server": "needs a Kafka, a PostgreSQL or a MariaDB",
    "airflow": "needs Airflow's metadata database, or an Airflow that runs",
    "browser": "needs a browser",
}
"""The lightest first."""
FIXTURES = {
    **{tier: tier for tier in TIERS if tier != "unit"},
    "broker": "server",
    "postgresql": "server",
    "mariadb": "server",
}
"""What a test needs that asks for this fixture."""
TIER = pytest.StashKey[str]()


def needs(item: pytest.Item) -> list[str]:
    """All tiers of a test, the lightest first."""
    fixtures = {FIXTURES.get(name) for name in getattr(item, "fixturenames", ())}
    marks = {mark.name for mark in item.iter_markers()}
    return [tier for tier in TIERS if tier in fixtures or tier in marks] or ["unit"]


def tier_of(item: pytest.Item) -> str:
    """The heaviest of what a test needs."""
    if TIER not in item.stash:
        item.stash[TIER] = needs(item)[-1]
    return item.stash[TIER]


def mark(items: Iterable[pytest.Item]) -> None:
    """Marks each test with all that it needs. Its reports have its tier as a property."""
    for item in items:
        for tier in needs(item):
            item.add_marker(tier)
            item.stash[TIER] = tier
        item.user_properties.append(("tier", tier_of(item)))
