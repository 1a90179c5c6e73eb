"""A row in a partition of another time counts: in the stream, in a backfill and in a verification alike."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.engine.backfill import BackfillResult, backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from tests.engine.oracle import Windowing, count_in, milliseconds
from tests.engine.reports import (
    AGGREGATES,
    DAY,
    DELAY,
    FEW,
    HOUR,
    MORNING,
    Event,
    Stream,
    arriving,
    clock,
    curve_insert,
    cut,
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_events,
)

HOURLY = {"partition__time_extractor__timestamp_pattern": "$ds $hh:00:00", "partition__missing": "ignore"}
HOPPING, TUMBLING = Windowing("HOP", HOUR, HOUR // 2), Windowing("TUMBLE", HOUR, HOUR)
ZONE = "Asia/Shanghai"
COUNTED = {"n": AGGREGATES["n"]}


def table_by_hour(**options: str) -> str:
    table = events_table(**{**HOURLY, **options}).replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), ds STRING, hh STRING,")
    return table.replace(") WITH", ") PARTITIONED BY (ds, hh) WITH")


def folder(place: Path, at: int) -> Path:
    day, time = clock(at).split()
    return place / "events" / f"ds={day}" / f"hh={time[:2]}"


def backfilled(spark: SparkSession, plan: Plan, place: Path, start: int, end: int) -> tuple[BackfillResult, list[str]]:
    """A backfill of an interval, and what it said meanwhile."""
    said: list[str] = []
    home = Home.create(place / "home", plan)
    return backfill(spark, plan, home, Interval(start, end), False, say=said.append), said


def test_rows_in_any_partition_stay_in_their_windows(spark, tmp_path: Path) -> None:
    """Half of the files lie in the folder of another hour; some rows are late."""
    plan = plan_of(tmp_path, table_by_hour(), curve_insert(HOPPING.sql, COUNTED))
    events = random_events(7, 120, 3 * HOUR)
    batches = cut(arriving(events, 7, DELAY, late=0.2), 7, 3)
    chance, stream = random.Random(7), Stream(spark, plan, tmp_path / "home")
    for n, batch in enumerate(batches):
        by_hour: dict[int, list[Event]] = {}
        for event in batch:
            by_hour.setdefault(event.at - event.at % HOUR, []).append(event)
        places = {hour: folder(tmp_path, hour + chance.choice((0, 3 * HOUR))) for hour in by_hour}
        stream.absorb(*(write_events(places[hour] / f"{n}-{hour}.csv", some) for hour, some in by_hour.items()))
    stream.end()
    start, end = MORNING + HOUR, MORNING + 2 * HOUR
    before = verify(spark, plan, stream.home, Interval(start, end))
    assert before.is_proven and before.late_rows > 0
    backfilled(spark, plan, tmp_path, start, end)
    found = [row for row in rows_of(tmp_path / "curve") if start < milliseconds(row[2]) <= end]
    assert found == [row for row in count_in(HOPPING, [events], COUNTED) if start < milliseconds(row[2]) <= end]


def by_day(place: Path, *, folders: str, zone: str | None = None) -> Plan:
    """A report by days over partitions of this type, which are named `d=2024-06-18`."""
    kind = "TIMESTAMP(3)" if zone is None else "TIMESTAMP_LTZ(3)"
    return plan_of(
        place,
        f"SET 'table.local-time-zone' = '{zone or 'UTC'}';",
        f"CREATE TABLE events (v INT, ts {kind}, d {folders}, WATERMARK FOR ts AS ts - INTERVAL '7' DAY)"
        " PARTITIONED BY (d) WITH ('connector' = 'filesystem', 'path' = '${DATA}/events', 'format' = 'csv',"
        " 'partition.time-extractor.timestamp-pattern' = '$d 00:00:00', 'partition.missing' = 'ignore');",
        "CREATE TABLE days (ws TIMESTAMP(3), n BIGINT, s BIGINT)"
        " WITH ('connector' = 'filesystem', 'path' = '${DATA}/days', 'format' = 'parquet');",
        "INSERT INTO days SELECT window_start, COUNT(*), SUM(v)"
        " FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end;",
    )


@pytest.mark.parametrize(("folders", "zone"), [("STRING", None), ("DATE", None), ("DATE", ZONE)])
def test_one_row_far_away(spark, folders: str, zone: str | None, tmp_path: Path) -> None:
    plan, files = by_day(tmp_path, folders=folders, zone=zone), []
    suffix = "Z" if zone else ""
    for day, lines in {
        "2024-06-18": [f"10,2024-06-18 02:00:00{suffix}"],
        "2024-06-19": [f"20,2024-06-19 03:00:00{suffix}"],
        "__HIVE_DEFAULT_PARTITION__": [f"2,2024-06-18 05:00:00{suffix}"],
        "2024-06-25": [f"5,2024-06-18 04:00:00{suffix}", f"7,2024-06-25 01:00:00{suffix}"],
    }.items():
        file = tmp_path / "events" / f"d={day}" / "a.csv"
        file.parent.mkdir(parents=True)
        file.write_text("".join(f"{line}\n" for line in lines))
        files.append(file)
    stream = Stream(spark, plan, tmp_path / "home")
    for file in files:
        stream.absorb(file)
    stream.end()
    before = rows_of(tmp_path / "days")
    assert [row[1:] for row in before] == [(3, 17), (1, 20), (1, 7)]
    start = milliseconds(before[0][0])
    backfilled(spark, plan, tmp_path, start, start + DAY)
    assert rows_of(tmp_path / "days") == before
    verdict = verify(spark, plan, stream.home, Interval(start, start + DAY))
    assert verdict.is_proven and verdict.equal == 1


def test_a_repair_does_not_take_the_row_away(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, table_by_hour(), curve_insert(TUMBLING.sql, FEW))
    events = random_events(5, 40, 2 * HOUR)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_events(folder(tmp_path, MORNING + 9 * HOUR) / "a.csv", events))
    stream.end()
    last = stream.home.log().last
    result = backfill(spark, plan, stream.home, Interval(MORNING, MORNING + 2 * HOUR), True, REPAIR)
    assert result.verdict is not None and result.verdict.is_proven and result.verdict.equal == 2
    assert not result.published and stream.home.log().last == last


def test_what_the_log_rules_out_is_not_read(spark, tmp_path: Path) -> None:
    """Files of other batches may be gone by now; the one with a late row of the interval is read."""
    plan = plan_of(tmp_path, table_by_hour(), curve_insert(TUMBLING.sql, FEW))
    events = random_events(3, 120, 4 * HOUR)
    hours = [[event for event in events if (event.at - MORNING) // HOUR == hour] for hour in range(4)]
    late, hours[1] = hours[1][:2], hours[1][2:]
    stream = Stream(spark, plan, tmp_path / "home")
    files = [write_events(folder(tmp_path, some[0].at) / "a.csv", some) for some in hours]
    for file in files:
        stream.absorb(file)
    stream.absorb(write_events(folder(tmp_path, MORNING + 3 * HOUR) / "late.csv", late))
    stream.end()
    assert read_status(stream.home).late == 2
    files[3].unlink()
    start = MORNING + HOUR
    _, said = backfilled(spark, plan, tmp_path, start, start + HOUR)
    assert "source events: 2 files, 3 left out: no row in windows" in said
    found = [row for row in rows_of(tmp_path / "curve") if milliseconds(row[1]) == start]
    assert found == [row for row in count_in(TUMBLING, [events], FEW) if milliseconds(row[1]) == start]


# ---------------------------------------------------------------------------------------------------- nobody streamed


def parquet_file(path: Path, events: list[Event], **options: object) -> None:
    columns = {
        "id": pa.array([event.id for event in events], pa.int64()),
        "shop": pa.array([event.shop for event in events], pa.int32()),
        "user_id": pa.array([event.user for event in events], pa.int32()),
        "item": pa.array([event.item for event in events]),
        "price": pa.array([event.price for event in events], pa.decimal128(10, 2)),
        "weight": pa.array([event.weight for event in events]),
        "ts": pa.array([event.at for event in events]).cast(pa.timestamp("ms")),
    }
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table(columns), path, **options)


def never_streamed(place: Path, *, fmt: str, stray: bool, **options: str) -> tuple[Plan, list[tuple]]:
    """A plan over hours 0 to 2 and the windows of hour 1; one of its rows may lie in the folder of hour 0."""
    table = table_by_hour(format=fmt, **options)
    table = table if fmt == "csv" else table.replace("'csv.null-literal' = 'NULL', ", "")
    plan = plan_of(place, table, curve_insert(TUMBLING.sql, FEW))
    events = random_events(2, 90, 3 * HOUR)
    hours = [[event for event in events if (event.at - MORNING) // HOUR == hour] for hour in range(3)]
    if stray:
        hours[0].append(hours[1].pop())
    for hour, some in enumerate(hours):
        file = folder(place, MORNING + hour * HOUR) / f"a.{fmt}"
        if fmt == "csv":
            write_events(file, some)
        else:
            parquet_file(file, some, use_deprecated_int96_timestamps=fmt == "parquet" and "int96" in place.name)
    rows = count_in(TUMBLING, [events], FEW)
    return plan, [row for row in rows if milliseconds(row[1]) == MORNING + HOUR]


@pytest.mark.parametrize(("name", "fmt"), [("csv", "csv"), ("parquet", "parquet"), ("int96", "parquet")])
def test_without_a_log_a_file_is_left_out_by_its_own_times(spark, name: str, fmt: str, tmp_path: Path) -> None:
    """Those that its footer says, or its rows."""
    place = tmp_path / name
    plan, expected = never_streamed(place, fmt=fmt, stray=True)
    result, said = backfilled(spark, plan, place, MORNING + HOUR, MORNING + 2 * HOUR)
    assert rows_of(place / "curve") == expected
    assert not result.notes
    assert "source events: 2 files, 1 left out: no row in windows" in said


def test_a_table_may_declare_what_its_partitions_hold(spark, tmp_path: Path) -> None:
    """Then files without statistics are left out by their names, which the result says."""
    plan, expected = never_streamed(tmp_path, fmt="csv", stray=False, partition__time="event")
    (folder(tmp_path, MORNING) / "a.csv").write_text("would stop a reader\n")
    result, _ = backfilled(spark, plan, tmp_path, MORNING + HOUR, MORNING + 2 * HOUR)
    assert rows_of(tmp_path / "curve") == expected
    (note,) = result.notes
    assert note.startswith("table 'events': 2 files of partitions of other times left out (")
    assert "ds=2024-06-18/hh=00/a.csv" in note and "because it declares 'partition.time'" in note
