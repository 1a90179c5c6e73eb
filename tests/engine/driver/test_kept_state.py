"""Where a comparison says that state can be kept, a driver of the changed report goes on with it as if it were its own.

Half of the rows come under one report, half under the other. Windows that fire then have the rows of a stream that had
the changed report from the beginning.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_of_home
from tests.engine.reports import HOUR, MINUTE, Event, Stream, arriving, cut, events_table, plan_of, random_events
from tests.in_turn import every_second

EVENTS = arriving(random_events(5, 120, 4 * HOUR), 5, 4 * MINUTE)
BATCHES = cut(EVENTS, 5, 4)
HALF = 2
BY_SHOP = "GROUP BY shop, window_start, window_end"
COUNTED = "SELECT shop, window_start, window_end, COUNT(*) AS n, SUM(price) AS total FROM TABLE({}) " + BY_SHOP
TUMBLING = COUNTED.format("TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR)")
CUMULATED = COUNTED.format("CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '15' MINUTES, INTERVAL '2' HOURS)")
HOPPING = COUNTED.format("HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '15' MINUTES, INTERVAL '1' HOUR)")
SESSIONS = COUNTED.format("SESSION(TABLE events PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '4' MINUTES)")
TOP = (
    "SELECT shop, window_start, window_end, n, total FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, "
    f"window_end ORDER BY n DESC, shop) AS place FROM ({TUMBLING})) WHERE place <= 1"
)
AGAIN = (
    f"SELECT MIN(shop), window_start, window_end, SUM(n), MAX(total) FROM ({CUMULATED}) "
    "GROUP BY window_start, window_end"
)
CHANGES = {
    "HAVING": (CUMULATED, BY_SHOP, f"{BY_SHOP} HAVING COUNT(*) > 3"),
    "an expression of aggregates": (TUMBLING, "COUNT(*) AS n", "COUNT(*) * 10 + CHAR_LENGTH('x') AS n"),
    "a filter of windows": (HOPPING, BY_SHOP, f"{BY_SHOP} HAVING shop = 2"),
    "a longer Top-N": (TOP, "place <= 1", "place <= 2"),
    "windows grouped otherwise": (AGAIN, "MAX(total)", "MIN(total)"),
    "sessions": (SESSIONS, "COUNT(*) AS n", "0 - COUNT(*) AS n"),
}


def planned(place: Path, query: str) -> Plan:
    columns = "shop INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), n BIGINT, total DECIMAL(38, 2)"
    options = "'connector' = 'filesystem', 'path' = '${DATA}/told', 'format' = 'json'"
    sink = f"CREATE TABLE told ({columns}) WITH ({options});"
    return plan_of(place, events_table(), sink, f"INSERT INTO told {query};")


def told(place: Path, after: str = "") -> list[dict[str, Any]]:
    """The rows of windows that end after a time."""
    files = (place / "told").rglob("*.json")
    rows = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    return sorted((row for row in rows if row["window_end"] > after), key=str)


def streamed(spark: SparkSession, place: Path, plan: Plan, batches: list[list[Event]], ends: bool) -> Home:
    stream = Stream(spark, plan, place / "home")
    stream.absorb_batches(place, batches)
    if ends:
        stream.end()
    return stream.home


def both(spark: SparkSession, place: Path, query: str, changed: str) -> tuple[str, Any, Any]:
    """The kind of the change; the windows that fired after it where the state was kept, and those of a new home."""
    first, whole = place / "changed", place / "whole"
    home = streamed(spark, first, planned(first, query), BATCHES[:HALF], ends=False)
    plan, fired = planned(first, changed), max(row["window_end"] for row in told(first))
    comparison, _ = home.comparison(plan, plan_of_home)
    home.report_file.replace(home.identity().with_added(plan, home.launches.local, {}).to_bytes())
    streamed(spark, first, plan, BATCHES[HALF:], ends=True)
    streamed(spark, whole, planned(whole, changed), BATCHES, ends=True)
    return comparison.inserts[0].kind.name, told(first, fired), told(whole, fired)


@pytest.mark.parametrize("change", every_second(CHANGES))
def test_windows_are_those_of_the_changed_report(spark: SparkSession, tmp_path: Path, change: str) -> None:
    query, old, new = CHANGES[change]
    assert old in query
    kind, kept, right = both(spark, tmp_path, query, query.replace(old, new))
    assert kind == "state can be kept"
    assert right and kept == right


def test_other_changes_would_make_wrong_windows(spark: SparkSession, tmp_path: Path) -> None:
    """So the rows can tell."""
    kind, kept, right = both(spark, tmp_path, CUMULATED, CUMULATED.replace("GROUP BY", "WHERE user_id > 6 GROUP BY"))
    assert kind == "recomputed"
    assert kept != right
