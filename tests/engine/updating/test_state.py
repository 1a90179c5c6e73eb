"""The state of updating operators: what is read of it, forgotten, merged, and left by a crash."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from airflow_nrt.engine.state.compaction import FANOUT
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.model.internal_columns import key_of
from tests.engine.fault_points import watch_points
from tests.engine.reports import HOUR, MORNING, Event, Stream, write_events
from tests.engine.updating.queries import changing_plan, emitted, folded

TTL = "SET 'table.exec.state.ttl' = '1 h';"


def sale(id: int, shop: int | None, price: int = 1) -> Event:
    return Event(id, shop, 1, "a", Decimal(price), 0.5, MORNING + id * 1000)


class Clock:
    """Processing time that a test moves."""

    def __init__(self) -> None:
        self.now = MORNING

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_key_that_no_row_touches_is_forgotten(spark, tmp_path: Path, clock: Clock) -> None:
    plan = changing_plan(tmp_path, "all_rows", "pairs", settings=TTL)
    stream = Stream(spark, plan, tmp_path / "home", clock)
    hours = [[sale(1, 1, 30), sale(2, 2, 30)], [sale(3, 1, 30)], [sale(4, 1, 30), sale(5, 2, 30)]]
    for batch in hours:
        stream.absorb_batches(tmp_path, [batch])
        clock.now += HOUR - 1
    # Shop 2 was untouched for two hours and is new again; what it was is not taken back.
    assert [(op, row) for op, _, row in emitted(tmp_path / "pairs")] == [
        ("+I", (1, "a")),
        ("+I", (2, "a")),
        ("+I", (2, "a")),
    ]
    assert emitted(tmp_path / "all_rows")[-1] == ("+U", "", (5, 1))
    clock.now += 1
    stream.absorb_batches(tmp_path, [[sale(6, 1, 30)]])
    assert emitted(tmp_path / "all_rows")[-1] == ("+I", "", (1, 1))
    kept = stream.driver.position.updating
    assert {name: len(files) for name, files in kept.items()} == {"u1": 1, "u2": 1}, "forgotten files stay"


def test_state_is_merged_and_goes(spark, tmp_path: Path) -> None:
    stream = Stream(spark, changing_plan(tmp_path, "last_rows"), tmp_path / "home")
    count = FANOUT + 3
    for n in range(count):
        stream.absorb_batches(tmp_path, [[sale(n, n % 2)]])
        position = stream.driver.position
        assert all(len(files) < FANOUT for files in position.updating.values())
        assert all((stream.home.path / path).is_dir() for path in position.files())
    assert folded(tmp_path / "last_rows").table == [
        (n % 2, n) for n in sorted((count - 1, count - 2), key=lambda n: n % 2)
    ]
    standing = {path for operator in stream.home.state.local.iterdir() for path in operator.iterdir()}
    assert len(standing) < FANOUT


@pytest.mark.parametrize("point", ["commit-before", "commit-after"])
def test_a_crash_doubles_and_loses_nothing(spark, tmp_path: Path, point: str, monkeypatch) -> None:
    plan = changing_plan(tmp_path, "best", "leaders")
    files = [write_events(tmp_path / "events" / f"{n}.csv", [sale(n, 1, n), sale(n + 9, 2, n)]) for n in range(3)]
    first = Stream(spark, plan, tmp_path / "home")
    first.absorb(files[0])
    with monkeypatch.context() as patched:
        watch_points(patched, dying(point))
        with pytest.raises(Died):
            first.absorb(files[1])
    second = Stream(spark, plan, tmp_path / "home")
    committed = second.driver.position.sources["events"].files
    second.absorb(*files[committed:])
    assert folded(tmp_path / "best").ops["+I"] == 6
    assert folded(tmp_path / "leaders").table == [(1, 6, 1)]


def test_keys_differ_where_values_do(spark) -> None:
    values = ("TIMESTAMP_NTZ'2024-06-18 00:00:00.000001'", "TIMESTAMP_NTZ'2024-06-18 00:00:00.000002'", "NULL")
    instants = ("TIMESTAMP'2024-06-18 00:00:00.000001'", "TIMESTAMP'2024-06-18 00:00:00.000002'", "NULL")
    texts = ("'NULL'", "''", "NULL")
    for three in (values, instants, texts):
        rows = " UNION ALL ".join(f"SELECT {a} AS a, {b} AS b" for a in three for b in three)
        assert spark.sql(f"SELECT DISTINCT {key_of(['a', 'b'])} FROM ({rows})").count() == 9


class Died(Exception):
    """In place of the end of a process."""


def dying(at: str):
    def reach(point: str) -> None:
        if point == at:
            raise Died(point)

    return reach


def test_only_groups_of_the_batch_are_computed(spark, tmp_path: Path, monkeypatch) -> None:
    written: list[int] = []
    monkeypatch.setattr(SliceStore, "write", counting_write(SliceStore.write, written))
    stream = Stream(spark, changing_plan(tmp_path, "pairs"), tmp_path / "home")
    stream.absorb_batches(tmp_path, [[sale(n, n, 30) for n in range(50)], [sale(99, 7, 30)], [sale(100, 70, 30)]])
    assert written == [50, 1, 1]
    assert stream.driver.position.sources["events"].rows == 52
    assert folded(tmp_path / "pairs").ops == {"+I": 51}


def counting_write(write, written: list[int]):
    def counted(self, operator: str, partials, *more):
        one = write(self, operator, partials, *more)
        written.append(one.file.rows if one.file is not None else 0)
        return one

    return counted


def test_nothing_is_held_behind_a_batch(spark, tmp_path: Path) -> None:
    # Other test processes hold frames in the same Java.
    spark.sparkContext.setLocalProperty("callSite.short", "held?")
    stream = Stream(spark, changing_plan(tmp_path, "sizes", "dearer"), tmp_path / "home")
    stream.absorb_batches(tmp_path, [[sale(n, n % 3) for n in range(5)], [sale(7, 1)]])
    spark.sparkContext.setLocalProperty("callSite.short", "airflow-nrt")
    held = spark.sparkContext._jsc.getPersistentRDDs().values()
    assert "held?" not in [one.rdd().getCreationSite() for one in held]
