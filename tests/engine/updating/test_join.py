"""Regular joins: what is emitted as sides arrive, what is forgotten, and what stays in the state."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from airflow_nrt.engine.state.compaction import FANOUT
from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    HOUR,
    MORNING,
    Event,
    Stream,
    events_table,
    insert_result,
    ordered,
    plan_of,
    rows_of,
    source_file,
    write_events,
)
from tests.engine.updating.queries import changing_plan, emitted, folded, published_in_parquet

TTL = "SET 'table.exec.state.ttl' = '1 h';"


def sale(id: int, shop: int | None, price: int = 1, user: int = 1) -> Event:
    return Event(id, shop, user, "a", Decimal(price), 0.5, MORNING + id * 1000)


def joined(place: Path, kind: str, settings: str = "") -> Plan:
    """Sales with the visits of their shop."""
    query = f"SELECT s.id, v.id AS visit FROM sales AS s {kind} JOIN visits AS v ON s.shop = v.shop"
    table = "CREATE TABLE pairs (id BIGINT, visit BIGINT) WITH ('connector' = 'print');"
    tables = (events_table("sales"), events_table("visits"))
    return published_in_parquet(plan_of(place, settings, *tables, table, f"INSERT INTO pairs {query};"), place)


class Clock:
    """Processing time that a test moves."""

    def __init__(self) -> None:
        self.now = MORNING

    def __call__(self) -> int:
        return self.now


def changes(place: Path) -> list[tuple[str, tuple[int | None, ...]]]:
    return [(op, row) for op, _, row in emitted(place / "pairs")]


def test_a_row_stands_alone_until_it_meets_its_first(spark, tmp_path: Path) -> None:
    stream = Stream(spark, joined(tmp_path, "FULL"), tmp_path / "home")
    for source, sales in (
        ("sales", [sale(1, 1), sale(2, 2), sale(3, None)]),
        ("visits", [sale(10, 1), sale(11, 3), sale(12, None)]),
        ("visits", [sale(13, 1)]),
        ("sales", [sale(4, 3)]),
    ):
        stream.absorb_batches(tmp_path, [sales], source=source)
    assert changes(tmp_path) == [
        ("+I", (1, None)), ("+I", (2, None)), ("+I", (3, None)),
        ("+I", (1, 10)), ("-D", (1, None)), ("+I", (None, 11)), ("+I", (None, 12)),
        ("+I", (1, 13)),
        ("+I", (4, 11)), ("-D", (None, 11)),
    ]  # fmt: skip


def test_forgotten_rows_are_not_taken_back(spark, tmp_path: Path) -> None:
    """The sale is younger than the visit that it met: that it does not stand alone is remembered with it."""
    clock = Clock()
    stream = Stream(spark, joined(tmp_path, "LEFT", TTL), tmp_path / "home", clock)
    for source, sales in (
        ("visits", [sale(10, 1)]),
        ("sales", [sale(1, 1)]),
        ("visits", [sale(11, 1)]),
        ("sales", [sale(2, 1)]),
    ):
        stream.absorb_batches(tmp_path, [sales], source=source)
        clock.now += HOUR // 2
    assert changes(tmp_path) == [("+I", (1, 10)), ("+I", (1, 11)), ("+I", (2, 11))]


def test_rows_of_one_side_are_not_written_again(spark, tmp_path: Path) -> None:
    stream = Stream(spark, joined(tmp_path, "LEFT"), tmp_path / "home")
    stream.absorb_batches(tmp_path, [[sale(n, 1) for n in range(9)]], source="sales")
    for n in range(3):
        stream.absorb_batches(tmp_path, [[sale(90 + n, 1)]], source="visits")
    (files,) = stream.driver.position.updating.values()
    assert [file.rows for file in files] == [9, 10, 1, 1]
    assert folded(tmp_path / "pairs").ops == {"+I": 36, "-D": 9}


def test_rows_that_are_gone_leave_the_state(spark, tmp_path: Path) -> None:
    """Each batch takes the total of the shop back and brings another, under another key of the join."""
    plan = changing_plan(tmp_path, "ids_of_size")
    stream = Stream(spark, plan, tmp_path / "home")
    for n in range(FANOUT):
        stream.absorb_batches(tmp_path, [[sale(n, 1)]])
    (file,) = stream.driver.position.updating[plan.updating[-1].name]
    assert file.rows == FANOUT + 1, "the sales, and one total"
    assert folded(tmp_path / "ids_of_size").table == [(FANOUT - 1, FANOUT - 1)]


@pytest.mark.parametrize("kind", ["INNER", "LEFT", "RIGHT", "FULL"])
def test_sources_of_a_join_may_come_in_any_order(spark, tmp_path: Path, kind: str) -> None:
    sides = {"sales": [sale(1, 1), sale(2, 2)], "visits": [sale(10, 1), sale(11, 1), sale(12, 3)]}
    tables = []
    for order in (("sales", "visits"), ("visits", "sales")):
        place = tmp_path / order[0]
        plan = joined(place, kind)
        stream = Stream(spark, plan, place / "home")
        for source in order:
            stream.absorb_batches(place, [sides[source]], source=source)
        (insert,) = plan.inserts
        tables.append(folded(place / "pairs").table if insert.changes else rows_of(place / "pairs"))
    expected = [(1, 10), (1, 11)]
    expected += [(2, None)] if kind in ("LEFT", "FULL") else []
    expected += [(None, 12)] if kind in ("RIGHT", "FULL") else []
    assert tables == [ordered(expected), ordered(expected)]


def test_a_batch_of_joins_above_each_other_is_no_longer_to_plan(spark, tmp_path: Path) -> None:
    """Each reads what is below it several times: three had 498 scans in one plan, which took minutes."""
    files = {
        name: [source_file(write_events(tmp_path / name / "0.csv", [sale(1, 1), sale(2, 2)]))]
        for name in ("sales", "visits")
    }

    def planned(joins: int) -> int:
        on = "ON s.shop = v{0}.shop AND s.price < v{0}.price + {0}"
        others = (f"LEFT JOIN visits AS v{n} {on.format(n)}" for n in range(joins))
        table = "CREATE TABLE pairs (id BIGINT) WITH ('connector' = 'print');"
        query = f"INSERT INTO pairs SELECT s.id FROM sales AS s {' '.join(others)};"
        plan = plan_of(tmp_path, TTL, events_table("sales"), events_table("visits"), table, query)
        assert len(plan.updating) == joins
        frame = insert_result(spark, plan, plan.inserts[0], files)
        assert sorted(row.id for row in frame.collect()) == [1, 2]
        return len(frame._jdf.queryExecution().optimizedPlan().toString().splitlines())

    assert planned(3) < 2 * planned(1)
