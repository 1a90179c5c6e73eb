"""The rows of the last hour: they come and leave as the watermark moves, and so does what is computed of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    DELAY,
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    arriving,
    cut,
    events_table,
    insert_result,
    ordered,
    plan_of,
    random_events,
    source_file,
    write_events,
)
from tests.engine.updating.queries import folded, published_in_parquet

LAST_HOUR = "WHERE ts BETWEEN now() - INTERVAL '1' HOUR AND now()"
KEYED = events_table().replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), PRIMARY KEY (user_id) NOT ENFORCED,")


def plan(place: Path, table: str = events_table(), **queries: str) -> Plan:
    sinks = [f"CREATE TABLE {name} (a INT, n BIGINT) WITH ('connector' = 'print');" for name in queries]
    inserts = [f"INSERT INTO {name} {query};" for name, query in queries.items()]
    return published_in_parquet(plan_of(place, table, *sinks, *inserts), place)


def event(id: int, minute: int, user: int = 1) -> Event:
    return Event(id, 1, user, "a", None, 0.5, MORNING + minute * MINUTE)


def rows(place: Path, name: str) -> list[tuple[Any, ...]]:
    return folded(place / name).table


def test_rows_come_and_leave_with_the_watermark(spark, tmp_path: Path) -> None:
    stream = Stream(spark, plan(tmp_path, ids=f"SELECT user_id, id FROM events {LAST_HOUR}"), tmp_path / "home")
    seen = []
    for batch in (
        [event(1, 10), event(2, 20)],  # the watermark is 0:15
        [event(3, 18), event(4, 40)],  # 0:35
        [event(5, 76)],  # 1:11, 0:10 leaves
        [event(6, 12), event(7, 5), event(8, 77)],  # 1:12, late rows stand there as long as others of their time
        [event(9, 300)],
    ):
        stream.absorb_batches(tmp_path, [batch])
        seen.append([id for _, id in rows(tmp_path, "ids")])
    assert seen == [[1], [1, 2, 3], [2, 3, 4], [2, 3, 4, 6], []]
    assert sum(file.rows for file in stream.driver.position.updating["u1"]) == 1
    stream.end()
    assert rows(tmp_path, "ids") == [(1, 9)]


def test_in_update_tables_an_older_row_does_not_come_up_again(spark, tmp_path: Path) -> None:
    """At each time the newest row of a key up to then counts, if it is of the last hour."""
    query = f"SELECT user_id, id FROM events {LAST_HOUR}"
    stream = Stream(spark, plan(tmp_path, KEYED, ids=query), tmp_path / "home")
    seen = []
    for batch in (
        [event(1, 10), event(2, 20), event(3, 21)],
        [event(4, 27)],
        [event(5, 86, user=2)],
        [event(6, 95, 2)],
    ):
        stream.absorb_batches(tmp_path, [batch])
        seen.append(rows(tmp_path, "ids"))
    assert seen == [[(1, 1)], [(1, 3)], [(1, 4)], [(2, 5)]]


@pytest.mark.thorough
def test_everywhere_it_is_the_batch_over_the_rows_of_the_hour(spark, several_tasks, tmp_path: Path) -> None:
    """After each batch, also with a driver that goes on from what another has stored; state is what is left."""
    events = arriving(random_events(11, 80, 4 * HOUR), 11, 2 * DELAY)
    queries = {
        "shops": f"SELECT shop, COUNT(DISTINCT user_id) FROM events {LAST_HOUR} AND item <> 'a' GROUP BY shop",
        "best": "SELECT user_id, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY id) AS n FROM events "
        f"{LAST_HOUR}) WHERE n = 1",
    }
    report = plan(tmp_path, **queries)
    stream = Stream(spark, report, tmp_path / "home")
    absorbed: list[Event] = []
    batches = cut(events, 11, 5)
    for n, batch in enumerate([*batches, None]):
        if n == 3:
            stream = Stream(spark, report, tmp_path / "home")
        if batch is None:
            stream.end()
            now = max(one.at for one in absorbed)
        else:
            stream.absorb_batches(tmp_path, [batch])
            absorbed += batch
            now = max(one.at for one in absorbed) - DELAY
        there = [one for one in absorbed if now - HOUR <= one.at <= now]
        shops: dict[int | None, set[int]] = {}
        best: dict[int | None, Event] = {}
        for one in there:
            if one.item is not None and one.item != "a":
                shops.setdefault(one.shop, set()).update({one.user} - {None})
            best[one.shop] = min(best.get(one.shop, one), one, key=lambda event: event.id)
        assert rows(tmp_path, "shops") == ordered((shop, len(users)) for shop, users in shops.items())
        assert rows(tmp_path, "best") == ordered((one.user, one.id) for one in best.values())
    everything = source_file(write_events(tmp_path / "all.csv", absorbed))
    for insert in report.inserts:
        batch = insert_result(spark, report, insert, {"events": [everything]}).drop("_nrt_after", "_nrt_key")
        assert ordered(batch.collect()) == rows(tmp_path, insert.name)
