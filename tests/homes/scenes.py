"""The homes: what was streamed into each of them, and how it was left (README.md says how one is added)."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import fastavro
import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.engine.archive import archive_partitions
from airflow_nrt.engine.archive.keeper import ArchiveKeeper
from airflow_nrt.engine.backfill import REPAIR, backfill
from airflow_nrt.engine.driver import filling
from airflow_nrt.engine.undo import AskedUndo, undo
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log import chapters
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.chapters import CHAPTER, KEPT
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.fold import checkpoints as fold
from airflow_nrt.home.log.fold.looks import Look, note_looks
from airflow_nrt.home.log.fold.settled import note_settled
from airflow_nrt.home.log.past.past import write_missing_past
from airflow_nrt.home.notes.unread import UnreadFiles, note_unread
from airflow_nrt.home.reopened import reopen
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.sql.load import plan_of_home
from tests.engine.reports import HOUR, MINUTE, MORNING, source_file
from tests.home.short_logs import shorten
from tests.homes.broker import kafka
from tests.homes.scene import Scene
from tests.servers.kafka import Topics
from tests.servers.registry import Registry

TEN = MORNING + 10 * HOUR


def at(minute: int) -> str:
    """`10:00` and so many minutes, on the day of all rows."""
    return f"2024-06-18 {10 + minute // 60}:{minute % 60:02}:00"


def windows(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Windows over slices with exact distinct, and sessions, open and closed; late and rejected rows, an unreadable
    file; the driver was killed between the append and the publishing of a tick, and a file had arrived."""
    scene = Scene.of_report(spark, place, "windows.sql", is_kept)
    scene.absorb(
        "events", f"a,1,1.50,{at(1)}", f"a,2,2.00,{at(4)}", f"b,1,3.25,{at(8)}", f"a,1,1.00,{at(19)}", "nothing"
    )
    scene.absorb("events", f"a,3,4.00,{at(27)}", f"b,2,0.50,{at(33)}", f"a,9,9.99,{at(13)}", f"a,4,1.00,{at(38)}")
    broken = scene.arrive("events", "this is not compressed", ends="csv.gz")
    scene.driver.absorb("events", [scene.split(broken)])
    scene.die_between_append_and_publish(
        lambda: scene.absorb("events", f"b,2,5.00,{at(52)}", f"a,1,2.25,{at(54)}", f"a,8,1.00,{at(12)}")
    )
    scene.arrive("events", f"b,3,1.00,{at(57)}", f"a,7,1.00,{at(41)}", f"b,4,1.00,{at(81)}")
    return scene


def rows(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """OVER with frames by time and by rows, before and after a row, and a cascade of windows."""

    def row(shop: str, user: int, price: int, minute: int) -> str:
        return json.dumps({"shop": shop, "user_id": user, "price": price, "ts": at(minute)})

    scene = Scene.of_report(spark, place, "rows.sql", is_kept)
    scene.absorb("events", row("a", 1, 5, 1), row("b", 1, 7, 3), row("a", 2, 1, 9), row("a", 2, 4, 14), ends="json")
    scene.absorb("events", row("a", 1, 2, 22), row("b", 3, 3, 28), row("a", 3, 6, 33), row("b", 1, 1, 2), ends="json")
    scene.absorb("events", row("b", 1, 2, 36), row("a", 4, 8, 47), ends="json")
    scene.arrive("events", row("b", 9, 1, 45), row("a", 1, 1, 58), row("a", 5, 2, 75), ends="json")
    return scene


def versions(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Windows with early, complete, late and last results, in files and as changes; some are to come."""
    scene = Scene.of_report(spark, place, "versions.sql", is_kept)
    scene.absorb("events", f"1,1,{at(2)}", f"2,1,{at(16)}")
    scene.absorb("events", f"1,2,{at(17)}", f"1,2,{at(24)}")
    scene.absorb("events", f"2,5,{at(33)}")
    scene.absorb("events", f"1,7,{at(21)}", f"2,6,{at(47)}")
    scene.absorb("events", f"1,1,{at(64)}")
    scene.arrive("events", f"2,9,{at(41)}", f"2,7,{at(75)}", f"1,1,{at(72)}")
    return scene


def updating(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Queries without windows over two sources, one that is idle and a table that changes: groups, Top-N, the first
    rows, a join, sessions, the rows of the last hour."""
    scene = Scene.of_report(spark, place, "updating.sql", is_kept)
    scene.absorb("shops", f"1,one,{at(1)}", f"2,two,{at(2)}")
    scene.absorb("events", f"1,1,5,{at(3)}", f"2,1,9,{at(5)}", f"3,2,4,{at(9)}", f"4,3,1,{at(11)}")
    scene.absorb("shops", f"2,zwei,{at(14)}")
    scene.driver.note("shops", idle=True)
    scene.absorb("events", f"5,1,7,{at(41)}", f"6,2,8,{at(64)}", f"7,3,3,{at(69)}")
    scene.arrive("events", f"8,1,9,{at(2)}", f"9,4,1,{at(90)}")
    scene.arrive("shops", f"3,three,{at(20)}", f"1,eins,{at(30)}")
    return scene


def throttled(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Changes that wait for their time, and rows that wait for the end of their source."""
    scene = Scene.of_report(spark, place, "throttled.sql", is_kept)
    scene.absorb("events", f"1,1,{at(1)}", f"2,3,{at(2)}")
    scene.pass_minutes(4)
    scene.driver.pass_time()
    scene.pass_minutes(1)
    scene.absorb("events", f"4,1,{at(5)}", f"3,2,{at(4)}")
    scene.arrive("events", f"5,2,{at(9)}")
    return scene


def owed(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """The results of two entries are owed to a sink that is away, and its partitions; another one has them."""
    scene = Scene.of_report(spark, place, "two_sinks.sql", is_kept)
    scene.absorb("events", f"a,1,{at(1)}", f"a,2,{at(12)}")
    scene.owe("away")
    scene.absorb("events", f"b,1,{at(15)}", f"b,1,{at(22)}")
    scene.absorb("events", f"a,1,{at(31)}")
    scene.beat()
    scene.arrive("events", f"b,1,{at(38)}", f"b,1,{at(44)}")
    return scene


def restated(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Windows that a backfill has published before any stream began, a backfill of late rows, and a repair of a window
    that somebody has changed."""
    scene = Scene(spark, place, is_kept)
    scene.change_report("restated.sql")
    scene.arrive("events", f"a,1,{at(1)}", f"b,2,{at(12)}", f"a,3,{at(23)}", f"a,9,{at(8)}")
    scene.home = Home.create(place / "home", scene.plan)
    backfill(spark, scene.plan, scene.home, Interval(TEN, TEN + 20 * MINUTE), check=False)
    scene.begin()
    scene.absorb_arrived()
    scene.absorb("events", f"a,4,{at(35)}", f"b,5,{at(31)}", f"b,5,{at(19)}")
    backfill(spark, scene.plan, scene.home, Interval(TEN, TEN + 10 * MINUTE), check=False)
    scene.absorb("events", f"b,6,{at(36)}", f"b,7,{at(41)}")
    changed = next((place / "curve").glob("*T102000-*"))
    changed.write_text(changed.read_text().replace('"total":3', '"total":4'))
    backfill(spark, scene.plan, scene.home, Interval(TEN, TEN + 30 * MINUTE), check=True, on_mismatch=REPAIR)
    scene.arrive("events", f"b,1,{at(44)}", f"a,1,{at(52)}")
    return scene


def undone(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Windows that somebody had changed were repaired, and set to what they were; one is an ordinary window again."""
    scene = Scene.of_report(spark, place, "restated.sql", is_kept)
    scene.absorb("events", f"a,1,{at(1)}", f"b,2,{at(12)}", f"a,3,{at(23)}", f"a,3,{at(34)}", f"b,9,{at(8)}")
    for start, total in (("00", "1"), ("10", "2")):
        changed = next((place / "curve").glob(f"*T10{start}00-*"))
        changed.write_text(changed.read_text().replace(f'"total":{total}', '"total":5'))
    by = Author("anna", "backfill", "day.repair, run manual__1")
    span = Interval(TEN, TEN + 20 * MINUTE)
    backfill(spark, scene.plan, scene.home, span, check=True, on_mismatch=REPAIR, by=by)
    for end in (10, 20):
        asked = AskedUndo("curve", TEN + end * MINUTE, Author("anna", "undo"), reason="it was right")
        undo(spark, scene.plan, scene.home, asked)
    backfill(spark, scene.plan, scene.home, Interval(TEN, TEN + 10 * MINUTE), check=False, by=by, unpin=True)
    scene.arrive("events", f"b,1,{at(44)}", f"a,1,{at(52)}")
    return scene


def filled(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A table was added to the report, and has got some of the windows of its twin."""
    scene = Scene.of_report(spark, place, "restated.sql", is_kept)
    scene.absorb("events", f"a,1,{at(1)}", f"b,2,{at(12)}", f"a,3,{at(23)}", f"a,3,{at(34)}")
    scene.change_report("filled.sql")
    scene.home.accept(scene.plan, plan_of_home)
    driver = scene.begin()
    filling.WINDOWS_AT_ONCE, at_once = 1, filling.WINDOWS_AT_ONCE
    try:
        scene.fill(driver, 1)
    finally:
        filling.WINDOWS_AT_ONCE = at_once
    scene.absorb("events", f"b,5,{at(45)}")
    if not is_kept:
        scene.fill(driver)
    scene.arrive("events", f"b,1,{at(44)}", f"a,1,{at(52)}")
    return scene


def repaired(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Windows that are joined with a dimension table when they fire, and by a backfill before any stream. Late rows
    have emptied a window, a window with the same start as one to come was repaired, and a source has ended."""
    scene = Scene(spark, place, is_kept)
    scene.change_report("repaired.sql")
    scene.arrive("shops", "1,north", "2,south", file="shops")
    scene.arrive("orders", f"1,5,{at(1)}", f"2,6,{at(12)}")
    scene.arrive("visits", f"1,{at(2)}", f"2,{at(13)}")
    scene.home = Home.create(place / "home", scene.plan)
    backfill(spark, scene.plan, scene.home, Interval(TEN, TEN + 10 * MINUTE), check=False)
    scene.begin()
    scene.absorb_arrived()
    scene.absorb("orders", f"1,7,{at(23)}", f"2,8,{at(31)}")
    scene.absorb("visits", f"1,{at(32)}")
    scene.driver.note("visits", ended=True)
    scene.absorb("orders", f"1,2,{at(3)}", f"1,2,{at(4)}", f"2,1,{at(44)}")
    backfill(spark, scene.plan, scene.home, Interval(TEN, TEN + 30 * MINUTE), check=False)
    changed = next((place / "quiet").glob("*-*T104000.*"))
    changed.write_text(changed.read_text().replace('"total":8', '"total":9'))
    backfill(spark, scene.plan, scene.home, Interval(TEN, TEN + 40 * MINUTE), check=True, on_mismatch=REPAIR)
    scene.absorb("orders", f"2,1,{at(46)}")
    scene.arrive("orders", f"1,3,{at(47)}", f"2,4,{at(81)}")
    return scene


def emptied(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A table was added after a window was lost from that of its twin; a backfill gives it to both."""
    scene = Scene.of_report(spark, place, "restated.sql", is_kept)
    scene.absorb("events", f"a,1,{at(1)}", f"b,2,{at(12)}", f"a,3,{at(23)}", f"a,3,{at(34)}")
    next((place / "curve").glob("*T102000-*")).unlink()
    scene.change_report("filled.sql")
    scene.home.accept(scene.plan, plan_of_home)
    scene.fill(scene.begin())
    backfill(spark, scene.plan, scene.home, Interval(TEN + 20 * MINUTE, TEN + 30 * MINUTE), check=False)
    scene.arrive("events", f"b,1,{at(44)}", f"a,1,{at(52)}")
    return scene


def moved(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """The last row of a partition of an update table has gone into another one."""
    scene = Scene.of_report(spark, place, "moved.sql", is_kept)
    scene.absorb("events", f"1,north,{at(1)}", f"2,south,{at(2)}")
    scene.absorb("events", f"2,north,{at(3)}")
    scene.arrive("events", f"1,west,{at(5)}", f"3,west,{at(6)}")
    return scene


def arrived(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """The rows of a user and hour that came first: some users are known, those of the first hour are forgotten."""
    scene = Scene.of_report(spark, place, "arrived.sql", is_kept)
    scene.absorb("visits", f"1,{at(12)}", f"2,{at(14)}", f"1,{at(11)}")
    scene.absorb("visits", f"3,{at(58)}", f"2,{at(56)}", f"3,{at(3)}")
    scene.absorb("visits", f"1,{at(71)}", f"2,{at(68)}", f"4,{at(20)}")
    scene.absorb("visits", f"2,{at(66)}", f"5,{at(74)}")
    scene.arrive("visits", f"1,{at(73)}", f"6,{at(81)}", f"2,{at(75)}", f"2,{at(130)}")
    return scene


def checkpoints(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """As `known_topic`, with checkpoints and the mark of what is settled."""
    scene = known_topic(spark, place, is_kept)
    fold.DISTANCE, distance = 4, fold.DISTANCE
    try:
        fold.write_checkpoints(scene.home.log())
    finally:
        fold.DISTANCE = distance
    note_settled(scene.home.log())
    return scene


def lookups(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Two versions of a dimension table. Drivers have begun so often that the log has a chapter."""
    scene = Scene(spark, place, is_kept)
    scene.change_report("lookups.sql")
    scene.arrive("shops", "1,north", "2,south", file="shops")
    scene.begin()
    scene.absorb("orders", f"1,1,5,{at(1)}", f"2,2,6,{at(3)}", f"3,1,7,{at(12)}")
    for _ in range(CHAPTER + KEPT):
        Writer.begin(scene.home.log(), Lease("worker", 1, "kept"))
    scene.pass_minutes(1)
    scene.begin()
    scene.arrive("shops", "1,east", "2,south", "3,west", file="shops")
    scene.absorb("orders", f"4,1,1,{at(14)}", f"5,3,2,{at(21)}", f"6,2,2,{at(9)}")
    scene.arrive("orders", f"7,3,1,{at(28)}", f"8,1,4,{at(41)}")
    return scene


def program(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A report in Python with a function of rows."""
    scene = Scene.of_report(spark, place, "program.py", is_kept)
    scene.absorb("orders", f"1,{at(1)}", f"2,{at(3)}", f"5,{at(12)}")
    scene.arrive("orders", f"4,{at(14)}", f"3,{at(23)}")
    return scene


def _in_json(partition: int, minute: int) -> bytes:
    return json.dumps({"shop": partition, "price": minute, "ts": at(minute)}).encode()


def _read_topic(scene: Scene, topics: Topics, record: Callable[[int, int], bytes] = _in_json) -> None:
    """Two partitions, with late rows, and a partition that became idle. Hours of the archive were merged."""
    topics.create("orders", 2)
    enumerator = scene.enumerator("orders")

    def absorb(*records: tuple[int, int]) -> None:
        for partition, minute in records:
            topics.write("orders", [record(partition, minute)], partition)
        found = enumerator.poll()
        while found:
            scene.driver.absorb("orders", enumerator.in_order(found))
            found = enumerator.poll()

    for records in ([(0, 1), (1, 3)], [(0, 14), (1, 22)], [(0, 61), (1, 8)], [(0, 122), (1, 119)]):
        absorb(*records)
    scene.driver.note_parts("orders", ["orders-1"])
    archive_partitions.MANY, many = 2, archive_partitions.MANY
    try:
        (source,) = scene.driver.plan.sources
        keeper = ArchiveKeeper(scene.spark, scene.home, source, scene.driver.writer)
        keeper.finish(scene.driver.position, scene.driver.replace_files)
    finally:
        archive_partitions.MANY = many
    absorb((0, 125))
    for partition, end in ((0, 5), (1, 4)):
        topics.remove_before("orders", partition, end)


def topic(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A topic that is not there any more, and its archive, with a merged hour; a partition is idle."""
    with kafka(spark) as (address, topics):
        scene = Scene.of_report(spark, place, "topic.sql", is_kept, {"SERVERS": address})
        _read_topic(scene, topics)
    return scene


def known_topic(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A topic whose id was noted."""
    return topic(spark, place, is_kept)


def schemas(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A topic whose records name the schemas of their writers, two of which the home keeps; the registry is gone."""
    fields = [{"name": name, "type": "int"} for name in ("shop", "price")]
    fields += [{"name": "ts", "type": {"type": "long", "logicalType": "timestamp-millis"}}]
    written = [{"type": "record", "name": "order", "fields": one} for one in (fields, fields[::-1])]
    asked = Registry()
    with ExitStack() as stack:
        stack.callback(asked.stop)
        address, topics = stack.enter_context(kafka(spark))
        numbers = [asked.add(one) for one in written]

        def record(partition: int, minute: int) -> bytes:
            row = {"shop": partition, "price": minute, "ts": parse_instant(at(minute))}
            out = io.BytesIO()
            fastavro.schemaless_writer(out, fastavro.parse_schema(written[partition]), row)
            return b"\x00" + numbers[partition].to_bytes(4, "big") + out.getvalue()

        servers = {"SERVERS": address, "REGISTRY": asked.url}
        scene = Scene.of_report(spark, place, "schemas.sql", is_kept, servers)
        _read_topic(scene, topics, record)
    return scene


def from_archive(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A home that has begun with the archive of another one, `old/home`."""
    with kafka(spark) as (address, topics):
        old = Scene.of_report(spark, place / "old", "topic.sql", False, {"SERVERS": address})
        _read_topic(old, topics)
        settings = {"SERVERS": address, "OLD": str(old.home.path)}
        scene = Scene.of_report(spark, place, "from_archive.sql", is_kept, settings)
        enumerator = scene.enumerator("orders")
        while found := enumerator.poll():
            scene.driver.absorb("orders", enumerator.in_order(found))
    return scene


def since(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A home that has begun with the later hours of the archive of another one, `old/home`."""
    with kafka(spark) as (address, topics):
        old = Scene.of_report(spark, place / "old", "topic.sql", False, {"SERVERS": address})
        _read_topic(old, topics)
        settings = {"SERVERS": address, "OLD": str(old.home.path), "SINCE": str(TEN + HOUR)}
        scene = Scene.of_report(spark, place, "since.sql", is_kept, settings)
        enumerator = scene.enumerator("orders")
        while found := enumerator.poll():
            scene.driver.absorb("orders", enumerator.in_order(found))
    return scene


def with_past(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A topic whose past was read from files, in the middle of a window. A record of the topic is before its end."""
    with kafka(spark) as (address, topics):
        scene = Scene.of_report(spark, place, "with_past.sql", is_kept, {"SERVERS": address})
        for name, minutes in (("late", (13, 22, 27)), ("early", (2, 9))):
            rows = ", ".join(f"(1, {minute}, TIMESTAMP_NTZ '{at(minute)}')" for minute in minutes)
            frame = spark.sql(f"SELECT * FROM VALUES {rows} AS t(shop, price, ts)").coalesce(1)
            frame.write.parquet(str(place / "past" / name))
        for file in (place / "past").glob("*/*.parquet"):
            # An archive of files keeps whole seconds.
            os.utime(file, (MORNING // 1000, MORNING // 1000))
        topics.create("orders", 2)
        enumerator = scene.enumerator("orders")
        for records in ([], [], [(0, 24), (1, 26), (0, 35), (1, 61)], [(0, 62), (1, 66)]):
            for partition, minute in records:
                topics.write("orders", [_in_json(partition, minute)], partition)
            if found := enumerator.poll():
                scene.driver.absorb("orders", enumerator.in_order(found))
                enumerator.absorbed(found)
    return scene


def fractions(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Times with more fraction digits than their type has, in windows, groups and rows, which kept them all."""

    def row(shop: str, seen: str, ts: str) -> str:
        return f"{shop},{at(0)[:-2]}{seen},{at(0)[:-5]}{ts}"

    scene = Scene.of_report(spark, place, "fractions.sql", is_kept)
    scene.absorb("events", row("a", "00.123456", "01:00.000999"), row("a", "00.123999", "02:00"))
    scene.absorb("events", row("b", "00.123", "03:00.5"), row("b", "59.9999995", "24:59.999999"))
    scene.absorb("events", row("c", "00.5", "11:00.25"), row("c", "00.123456", "31:00.123456"))
    scene.arrive("events", row("d", "00.123", "38:00"), row("d", "00.5", "45:00.999"))
    return scene


def cast_digits(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """CAST of times to 1, 2 and 4 digits, which kept all that they had."""

    def row(shop: str, seen: str, ts: str) -> str:
        return f"{shop},{at(0)[:-2]}{seen},{at(0)[:-5]}{ts}"

    scene = Scene.of_report(spark, place, "cast_digits.sql", is_kept)
    scene.absorb("events", row("a", "00.123456", "01:00"), row("a", "00.123499", "02:00"))
    scene.absorb("events", row("b", "00.123", "03:00"), row("b", "59.999999", "24:59"))
    scene.arrive("events", row("d", "00.1", "38:00"), row("d", "00.5", "45:00"))
    return scene


def retracted(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Rows without a key, which kept more fraction digits than their types have, are retracted by their values."""

    def change(op: str, shop: str, seen: str) -> str:
        row = {"shop": shop, "seen": f"{at(0)[:-2]}{seen}", "ts": at(1)}
        return json.dumps({"before": row if op == "d" else None, "after": row if op == "c" else None, "op": op})

    scene = Scene.of_report(spark, place, "retracted.sql", is_kept)
    scene.absorb("events", *(change("c", "a", seen) for seen in ("00.123456", "00.123999", "01.5")), ends="json")
    scene.absorb("events", change("c", "b", "02.000001"), change("d", "a", "00.123999"), ends="json")
    scene.arrive("events", change("d", "a", "00.123456"), change("c", "b", "02.000002"), ends="json")
    return scene


def event(id: int, n: str, minute: int, *items: dict[str, int] | None) -> str:
    row = {"id": id, "doc": f'{{"n":{n}}}', "items": items, "ts": at(minute)}
    return json.dumps(row)


def in_json(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Numbers in JSON and elements that are NULL, which had other texts and rows than in Flink."""
    scene = Scene.of_report(spark, place, "in_json.sql", is_kept)
    scene.absorb("events", event(1, "12.50", 1, None, {"x": 1}), event(1, "12.5", 2, {"x": 2}), ends="json")
    scene.absorb("events", event(2, "1e2", 3, None), event(3, "7", 24, None, None, {"x": 3}), ends="json")
    scene.absorb("events", event(4, "12.50", 11, {"x": 4}), event(4, "8.10", 31, {"x": 5}, None), ends="json")
    scene.arrive("events", event(5, "7", 38, {"x": 6}), event(5, "9", 45), ends="json")
    return scene


def above_windows(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Numbers in JSON that windows and groups give, which keep the texts that they had."""
    scene = Scene.of_report(spark, place, "above_windows.sql", is_kept)
    scene.absorb("events", event(1, "12.50", 1), event(2, "1e2", 2), ends="json")
    scene.absorb("events", event(1, "12.5", 23), event(3, "-0.0", 31), ends="json")
    scene.arrive("events", event(2, "3.10", 38), event(4, "3.1", 39), event(3, "1e3", 45), ends="json")
    return scene


def nulled(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Arithmetic without a result, which is NULL from an entry on."""

    def row(shop: str, price: int, items: int, minute: int) -> str:
        return f"{shop},{price},{items},{at(minute)}"

    scene = Scene.of_report(spark, place, "nulled.sql", is_kept)
    scene.absorb("events", row("a", 6, 2, 1), row("b", 5, 1, 3))
    scene.change_report("nulled.sql", {"table.exec.arithmetic-error": "null"})
    scene.begin()
    scene.absorb("events", row("a", 8, 0, 12), row("a", 9, 3, 24))
    scene.arrive("events", row("b", 2**31 - 1, 0, 38), row("c", 2**31 - 1, 1, 39), row("a", 1, 1, 65))
    return scene


def policies(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """What can't be read ended the report, was counted, and is longer than a limit that came later."""

    def row(number: object, minute: int, note: str = "") -> str:
        return json.dumps({"id": number, "price": 1.5, "ts": at(minute), "note": note})

    scene = Scene.of_report(spark, place, "policies.sql", is_kept, {"IGNORE": "false", "LENGTH": "1 mb"})
    scene.absorb("events", row(1, 1), row(2, 3, "long" * 50), ends="json")
    scene.change_report("policies.sql", {"IGNORE": "true", "LENGTH": "1 mb"})
    scene.begin()
    scene.absorb("events", row("x", 8), "torn", row(3, 24, "long" * 50), ends="json")
    scene.change_report("policies.sql", {"IGNORE": "true", "LENGTH": "100 b"})
    scene.begin()
    scene.arrive("events", row(4, 38), row(5, 39, "long" * 50), row("y", 65), ends="json")
    return scene


def null_fields(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Fields that could not be parsed, in rows that count, and a line that is rejected."""

    def row(number: object, minute: int) -> str:
        return json.dumps({"id": number, "price": 1.5, "ts": at(minute)})

    scene = Scene.of_report(spark, place, "policies.sql", is_kept, {"IGNORE": "true", "LENGTH": "1 mb"})
    scene.absorb("events", row(1, 1), row("x", 3), "torn", row("y", 24), ends="json")
    scene.arrive("events", row("z", 38), row(4, 65), ends="json")
    return scene


def skipped(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Lines that can't be read were left out, and are to be left out."""

    def row(number: int, minute: int) -> str:
        return json.dumps({"id": number, "price": 1.5, "ts": at(minute)})

    scene = Scene.of_report(spark, place, "policies.sql", is_kept, {"IGNORE": "false", "LENGTH": "1 mb"})
    scene.absorb("events", row(1, 1), ends="json")
    read = scene.arrive("events", row(2, 3), "torn", row(3, 24), ends="json")
    scene.skip("events", read, 2)
    scene.begin()
    scene.driver.absorb("events", [source_file(read)])
    to_come = scene.arrive("events", "torn, too", row(4, 38), row(5, 65), ends="json")
    scene.skip("events", to_come, 1)
    return scene


def limited(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Lines that can't be read were rejected within a limit, which leaves one more, and went into a table."""

    def row(number: object, minute: int) -> str:
        return json.dumps({"id": number, "price": 1.5, "ts": at(minute)})

    scene = Scene.of_report(spark, place, "limited.sql", is_kept)
    scene.absorb("events", row(1, 1), "torn", row("x", 2), ends="json")
    scene.absorb("events", row(2, 24), ends="json")
    scene.arrive("events", row(3, 38), "torn, too", row(4, 65), ends="json")
    return scene


def closed(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Two directories have closed, and files have come into them since. A lease has opened one of them again."""

    def row(number: int, minute: int) -> str:
        return json.dumps({"id": number, "price": 1.5, "ts": at(minute)})

    scene = Scene.of_report(spark, place, "closed.sql", is_kept)
    read = [scene.arrive("events", row(n, 10 * n), file=f"part={n}/{n}", ends="json") for n in (1, 2, 3)]
    for path in read:
        scene.driver.absorb("events", [source_file(path)])
    scene.driver.close_directories("events", [str(path.parent) for path in read[:2]])
    late = [scene.arrive("events", row(n + 3, 38), file=f"part={n}/late", ends="json") for n in (1, 2)]
    reopen(scene.home, "events", [str(late[1].parent)])
    scene.begin()
    scene.arrive("events", row(6, 65), file="part=3/last", ends="json")
    note_unread(scene.home, {"events": {str(late[0].parent): UnreadFiles(1, late[0].stat().st_size)}})
    note_looks(scene.home.log(), {"events": {str(read[2].parent): Look("1:1", 1, 1, 1)}})
    return scene


def named(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Entries that name the files of open and closed slices, of parts of a table, and of a ledger; two versions of a
    dimension table, whose files are named, too."""
    scene = Scene(spark, place, is_kept)
    scene.change_report("named.sql")
    scene.arrive("shops", "1,north", "2,south", file="shops")
    scene.begin()
    scene.absorb("orders", f"1,1,5,{at(1)}", f"2,2,6,{at(3)}", f"3,1,7,{at(12)}")
    scene.absorb("orders", f"4,1,1,{at(24)}", f"5,2,2,{at(31)}", f"6,2,2,{at(9)}")
    scene.pass_minutes(1)
    scene.begin()
    scene.arrive("shops", "1,east", "2,south", "3,west", file="shops")
    scene.absorb("orders", f"7,3,3,{at(33)}", f"8,2,1,{at(62)}")
    scene.arrive("orders", f"9,3,1,{at(64)}", f"10,1,4,{at(41)}", f"11,1,2,{at(131)}")
    return scene


def wide_sums(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Sums of DECIMALs of 38 digits, and of squares, in partials of windows, of rows that have fired, and of groups."""

    def row(shop: str, amount: str, minute: int) -> str:
        return f"{shop},{amount},{minute},{at(minute)}"

    scene = Scene.of_report(spark, place, "wide_sums.sql", is_kept)
    scene.absorb("events", row("a", "12345678901.5", 1), row("b", "0.25", 3), row("a", "7.125", 9))
    scene.absorb("events", row("a", "98765432109.75", 14), row("b", "20000000000", 22), row("b", "3", 31))
    scene.arrive("events", row("a", "44444444444.5", 36), row("b", "1.5", 38), row("b", "50000000000", 75))
    return scene


def floor(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """Old entries are removed, and their results stay."""

    def row(number: int, minute: int) -> str:
        return json.dumps({"id": number, "price": 1.5, "ts": at(minute)})

    scene = Scene.of_report(spark, place, "closed.sql", is_kept)
    for n in range(1, 15):
        path = scene.arrive("events", row(n, 10 * n), row(n, 9 * n), file=f"part={n // 5}/{n}", ends="json")
        scene.driver.absorb("events", [source_file(path)])
    scene.arrive("events", row(15, 150), row(15, 190), file="part=3/last", ends="json")
    if is_kept:
        log = scene.home.log()
        with pytest.MonkeyPatch.context() as patched:
            # All chapters become volumes, and all volumes go: what stands is alike in the log of any length.
            shorten(patched, 4, 4)
            patched.setattr(chapters, "KEPT", 8)
            log.bind()
            fold.write_checkpoints(log)
            write_missing_past(log)
            note_settled(log)
            retention = Retention(scene.home, Keep(0, 0), clock=lambda: now_ms() + 1)
            while retention.step(log):
                pass
    return scene


def changed(spark: SparkSession, place: Path, is_kept: bool) -> Scene:
    """A changed report has come to count: its results wait, and its table has those of the generation before. A window
    is gone, one is new."""

    def row(number: int, minute: int) -> str:
        return json.dumps({"id": number, "price": 1.5, "ts": at(minute)})

    scene = Scene.of_report(spark, place, "before_change.sql", is_kept)
    scene.absorb("events", row(1, 1), row(1, 13), row(2, 28), ends="json")
    scene.absorb("events", row(1, 46), row(3, 47), row(1, 71), row(2, 9), ends="json")
    scene.change_report("after_change.sql")
    scene.come_to_count()
    scene.arrive("events", row(4, 95), row(1, 96), row(5, 125), ends="json")
    return scene


_ALL = (
    windows, rows, versions, updating, throttled, owed, restated, undone, repaired, filled, emptied, moved, lookups,
    program, topic, from_archive, since, with_past, fractions, cast_digits, retracted, in_json, above_windows,
    known_topic, checkpoints, schemas, nulled, policies, null_fields, skipped, limited, arrived, closed, named, floor,
    changed, wide_sums,
)  # fmt: skip
SCENES: dict[str, Callable[[SparkSession, Path, bool], Scene]] = {one.__name__: one for one in _ALL}
SERVERLESS = ("topic", "from_archive", "since", "with_past", "known_topic", "checkpoints", "schemas")
"""Scenes that go on although the server of their source is gone."""
