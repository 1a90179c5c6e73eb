"""A topic as a source: which records a batch reads, and what they become."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.sources import arrived, source_of
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.log.splits import SourceRange, without_ranges
from tests.engine.reports import HOUR, MINUTE, MORNING
from tests.engine.sources.kafka.reports import TopicStream, order, read_as, report
from tests.servers.kafka import Broker, Topics

MORNING_29 = MORNING + 10 * HOUR + 29 * MINUTE
"""2024-06-18 10:29:00."""


def ranges(stream: TopicStream) -> list[tuple[str, int, int]]:
    commits = [entry.body for entry in stream.entries if isinstance(entry.body, Commit)]
    return [(one.part, one.start, one.end) for commit in commits for one in commit.ranges]


def test_a_topic_is_counted_once_whatever_the_batches(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("counted", 2)
    plan = report(tmp_path, broker.address, "counted")
    topics.write("counted", [order(1, 5, "10:01:00"), order(1, 7, "10:09:00")], partition=0)
    topics.write("counted", [order(2, 1, "10:02:00")], partition=1)
    first = TopicStream(spark, plan, tmp_path / "home")
    first.absorb_new()
    topics.write("counted", [order(1, 9, "10:12:00"), order(1, 9, "10:25:00")], partition=0)
    topics.write("counted", [order(2, 3, "10:14:00"), order(2, 3, "10:31:00")], partition=1)
    # A driver that was started again goes on after what the log has.
    second = TopicStream(spark, plan, tmp_path / "home")
    second.absorb_new()
    assert second.curve() == [("10:10", 3, 13), ("10:20", 2, 12)]
    assert ranges(second) == [
        ("counted-0", 0, 0),
        ("counted-1", 0, 0),
        ("counted-0", 0, 2),
        ("counted-1", 0, 1),
        ("counted-0", 2, 4),
        ("counted-1", 1, 3),
    ]
    # The ranges without records are none that were read.
    assert second.driver.position.sources["orders"].files == 4
    verdict = verify(spark, plan, second.home)
    assert verdict.is_proven and not verdict.problems and verdict.unread_files == 0


def test_each_partition_has_a_watermark_of_its_own(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("uneven", 2)
    plan = report(tmp_path, broker.address, "uneven")
    stream = TopicStream(spark, plan, tmp_path / "home")
    topics.write("uneven", [order(1, 1, "10:01:00"), order(1, 1, "12:00:00")], partition=0)
    stream.absorb_new()
    # Partition 1 may still have earlier rows.
    state = stream.driver.position.sources["orders"]
    assert stream.curve() == [] and state.watermark is None and state.parts["uneven-1"].watermark is None
    topics.write("uneven", [order(2, 1, "10:05:00"), order(2, 1, "10:32:00")], partition=1)
    stream.absorb_new()
    assert stream.curve() == [("10:10", 2, 2)]
    assert format_instant(stream.driver.position.sources["orders"].watermark) == "2024-06-18 10:31:00"
    topics.write("uneven", [order(2, 1, "10:15:00"), order(2, 1, "12:30:00")], partition=1)
    stream.absorb_new()
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == 1


def test_a_forged_watermark_of_a_partition_is_found(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("forged", 1)
    plan = report(tmp_path, broker.address, "forged")
    topics.write("forged", [order(1, 1, "10:01:00"), order(1, 1, "10:30:00")])
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    for file in stream.home.log_directory.local.glob("*.json"):
        file.write_text(file.read_text().replace(str(MORNING_29), str(MORNING_29 + 1)))
    (problem,) = verify(spark, plan, stream.home).problems
    assert "the rows of its batch make it" in problem and "(forged-0 2024-06-18 10:29:00)" in problem


def test_a_partition_that_is_idle_holds_nothing_back(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("idle", 2)
    plan = report(tmp_path, broker.address, "idle")
    stream = TopicStream(spark, plan, tmp_path / "home")
    topics.write("idle", [order(1, 1, "10:01:00"), order(1, 1, "10:30:00")], partition=0)
    stream.absorb_new()
    stream.driver.note_parts("orders", ["idle-1"])
    assert stream.curve() == [("10:10", 1, 1)]
    topics.write("idle", [order(1, 1, "10:31:00")], partition=1)
    stream.absorb_new()
    assert not stream.driver.position.sources["orders"].parts["idle-1"].idle
    assert verify(spark, plan, stream.home).is_proven


def test_a_new_partition_is_read_from_its_first_record(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("widened", 1)
    plan = report(tmp_path, broker.address, "widened", scan_topic__partition__discovery_interval="1 ms")
    topics.write("widened", [order(1, 1, "10:01:00"), order(1, 1, "10:30:00")])
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    topics.widen("widened", 2)
    topics.write("widened", [order(2, 1, "10:31:00")], partition=1)
    stream.absorb_new()
    state = stream.driver.position.sources["orders"]
    assert {name: part.watermark for name, part in state.parts.items()} == {
        "widened-0": MORNING_29,
        "widened-1": MORNING_29 + 60_000,
    }
    assert ("widened-1", 0, 1) in ranges(stream)


def test_what_is_no_row_is_rejected_with_its_offset(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("poison", 1)
    plan = report(tmp_path, broker.address, "poison", json_ignore__parse__errors="true", scan_null__rowtime="skip")
    topics.write("poison", [order(1, 1, "10:01:00"), "{", '{"price": "x", "ts": null}', None, ""])
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    commit = [entry.body for entry in stream.entries if isinstance(entry.body, Commit)][-1]
    found = records(stream.home.root / commit.ledger / REJECTED)
    places = sorted((one["file"], one["reason"], one.get("column")) for one in found)
    assert places == [
        ("poison-0@1", "malformed line", None),
        ("poison-0@2", "NULL rowtime", "price"),
    ]


def test_poison_stops_a_report_that_does_not_allow_it(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("strict", 1)
    plan = report(tmp_path, broker.address, "strict", source_rejected_limit="0")
    topics.write("strict", [order(1, 1, "10:01:00"), '{"price": "x", "ts": "2024-06-18 10:00:00"}'])
    stream = TopicStream(spark, plan, tmp_path / "home")
    with pytest.raises(Exception) as stopped:
        stream.absorb_new()
    known = explained(stopped.value)
    assert "column price: 'x' is no INT" in str(known) and "(strict-0@1: " in str(known)
    assert "json.ignore-parse-errors" in str(known)


def test_metadata_of_records(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("meta", 2)
    columns = """shop INT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', part INT METADATA FROM 'partition' VIRTUAL,
        at BIGINT METADATA FROM 'offset' VIRTUAL, topic STRING METADATA VIRTUAL, kind STRING METADATA FROM
        'timestamp-type', headers MAP<STRING, BYTES> METADATA, plain TIMESTAMP(3) METADATA FROM 'timestamp',
        WATERMARK FOR ts AS SOURCE_WATERMARK()"""
    query = """SELECT plain, shop, part * 1000 + at + CHAR_LENGTH(DECODE(headers['h'], 'UTF-8')) +
        IF(topic = 'meta' AND kind = 'CreateTime', 0, 9999) FROM orders"""
    plan = report(tmp_path, broker.address, "meta", columns, query)
    topics.write("meta", ['{"shop": 7}', '{"shop": 8}'], 1, MORNING_29, headers=[("h", "lost"), ("h", "ab")])
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    assert stream.curve() == [("10:29", 7, 1002), ("10:29", 8, 1003)]
    assert stream.driver.position.sources["orders"].parts["meta-1"].watermark == MORNING_29 - 1


@pytest.mark.parametrize(
    ("options", "columns", "key", "value", "expected"),
    [
        ({"format": "csv"}, "shop INT, name STRING", None, '3,"a, b\nc"', (3, "a, b\nc")),
        ({"format": "raw"}, "name STRING", None, "any text", ("any text",)),
        (
            {"value.format": "json", "key.format": "raw", "key.fields": "name", "value.fields-include": "EXCEPT_KEY"},
            "shop INT, name STRING",
            "of the key",
            '{"shop": 3}',
            (3, "of the key"),
        ),
        (
            {
                "value.format": "json",
                "key.format": "csv",
                "key.csv.field-delimiter": ";",
                "key.fields": "k_shop;k_name",
                "key.fields-prefix": "k_",
                "value.fields-include": "EXCEPT_KEY",
            },
            "k_shop INT, k_name STRING, other INT",
            "5;x",
            '{"other": 3}',
            (5, "x", 3),
        ),
        (
            {
                "value.format": "json",
                "key.format": "json",
                "key.fields": "k_id",
                "key.fields-prefix": "k_",
                "value.fields-include": "EXCEPT_KEY",
            },
            "k_id INT, id INT",
            '{"id": 5}',
            '{"id": 3}',
            (5, 3),
        ),
        (
            {"value.format": "json", "key.format": "json", "key.fields": "id"},
            "id INT, name STRING",
            '{"id": 5}',
            '{"id": 3, "name": "x"}',
            (3, "x"),
        ),
        (
            {"value.format": "json", "key.format": "csv", "key.fields": "id", "value.fields-include": "EXCEPT_KEY"},
            "id INT, name STRING",
            None,
            '{"name": "x"}',
            (None, "x"),
        ),
    ],
    ids=["csv", "raw", "key", "key with a prefix", "key and value with one name", "key in the value", "no key"],
)
def test_formats(
    spark, broker: Broker, topics: Topics, tmp_path: Path, request, options, columns, key, value, expected
) -> None:
    topic = request.node.callspec.id.replace(" ", "-")
    topics.create(topic, 1)
    topics.write(topic, [value], key=key)
    written = ", ".join(f"'{name}' = '{text}'" for name, text in options.items())
    (row,) = read_as(spark, tmp_path, broker, topic, columns, written)
    assert tuple(row) == (*expected, None, None)


def test_steps_that_share_an_exchange_read_the_topic_once(
    spark, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("shared", 1)
    topics.write("shared", [order(1, 5, "10:01:00"), order(1, 7, "10:02:00")])
    (source,) = report(tmp_path, broker.address, "shared").sources
    rows = source_of(source.table).read(spark, source, ReadRequest(arrived(spark, source.table), ONE))
    exchanged = rows.repartition(2, "price")
    both = exchanged.groupBy("price").count().union(exchanged.groupBy("price").sum("price"))
    assert len(both.collect()) == 4
    assert "ReusedExchange" in both._jdf.queryExecution().executedPlan().toString()


def test_a_backfill_before_the_stream_read_the_same_records(
    spark, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    """What both have read is the stream's, offset by offset, though their ranges are cut differently."""
    topics.create("both", 1)
    plan = report(tmp_path, broker.address, "both")
    topics.write("both", [order(1, 1, "10:01:00"), order(1, 1, "10:11:30"), order(1, 1, "10:12:00")])
    home = Home.create(tmp_path / "home", plan)
    backfill(spark, plan, home, Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 10 * MINUTE), check=False)
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    topics.write("both", [order(1, 1, "10:13:00"), order(1, 1, "10:25:00")])
    stream.absorb_new()
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems and verdict.late_rows == 0


def test_what_is_left_of_a_range() -> None:
    one = SourceRange("t-0", 0, 230, 2300)
    read = [SourceRange("t-0", 0, 150, 1), SourceRange("t-0", 150, 151, 1), SourceRange("t-1", 160, 170, 1)]
    assert without_ranges(one, read) == [SourceRange("t-0", 151, 230, 790)]
    assert without_ranges(one, [SourceRange("t-0", 10, 20, 1)]) == [
        SourceRange("t-0", 0, 10, 100),
        SourceRange("t-0", 20, 230, 2100),
    ]
