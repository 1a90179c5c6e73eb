"""Archives that a report can't begin with: one sentence names why, and the way out, before a driver begins."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError, SurroundingsError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.archive.beginning import check_goes_on
from airflow_nrt.engine.sources.archive.stored_columns import check_columns
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.splits import ArchivedElsewhere, SourceRange
from tests.engine.reports import HOUR, MORNING
from tests.engine.sources.archive.reports import archived_topic, beginning
from tests.engine.sources.kafka.reports import COLUMNS, TopicStream, order, report
from tests.servers.kafka import Broker, Topics


@pytest.fixture(scope="module")
def old(spark: SparkSession, broker: Broker, topics: Topics, tmp_path_factory: pytest.TempPathFactory) -> TopicStream:
    topics.create("another", 1)
    return archived_topic(spark, broker, topics, "begun", tmp_path_factory.mktemp("old"))


def check(spark: SparkSession, broker: Broker, place: Path, home: Path, topic: str = "begun", **options: str) -> None:
    """What a driver asks before it begins."""
    table = beginning(place, broker, topic, home, **options).sources[0].table
    source_of(table).check(spark, table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topic": "another"}, "home archives topic begun, and this table reads topic another: name the home that"),
        ({"columns": f"colour STRING, {COLUMNS}"}, "has no column 'colour': leave it out, or begin with the topic"),
        (
            {"columns": COLUMNS.replace("price INT", "price BIGINT")},
            "has the column 'price' as INT, and it is BIGINT here: declare it alike",
        ),
    ],
    ids=["topic", "column", "type"],
)
def test_another_table(
    spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        check(spark, broker, tmp_path, old.home.path, **options)


def test_metadata_that_the_archive_lacks(broker: Broker, old: TopicStream, tmp_path: Path) -> None:
    outline = old.home.outline()
    assert outline is not None
    (archive,) = outline.archives
    lacking = replace(archive, columns=tuple(one for one in archive.columns if one.metadata != "timestamp"))
    columns = f"at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', {COLUMNS}"
    table = beginning(tmp_path, broker, "begun", old.home.path, columns=columns).sources[0].table
    check_columns(table, archive)
    with pytest.raises(InputError, match="has no METADATA 'timestamp', of which column 'at' is: leave it out"):
        check_columns(table, lacking)


def test_another_home(spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"table 'orders': 'scan.startup.home': .*no-home is no home of a report"):
        check(spark, broker, tmp_path, tmp_path / "no-home")
    plan = report(tmp_path, broker.address, "begun")
    Home.create(tmp_path / "home", plan)
    with pytest.raises(InputError, match="home writes no archive of a topic: its report needs 'archive', without"):
        check(spark, broker, tmp_path, tmp_path / "home")
    with pytest.raises(InputError, match=r"'scan\.startup\.mode' = 'archive' needs 'scan\.startup\.home': write it"):
        report(tmp_path, broker.address, "begun", scan_startup_mode="archive")
    with pytest.raises(InputError, match="of rows that change: not there yet; begin with the topic"):
        beginning(tmp_path, broker, "begun", old.home.path, format="debezium-json")


def test_a_home_that_has_read_nothing(spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path) -> None:
    Home.create(tmp_path / "home", old.driver.plan)
    with pytest.raises(InputError, match="home has read nothing of the topic yet: start its stream first"):
        check(spark, broker, tmp_path, tmp_path / "home")


@pytest.mark.parametrize(("partition", "ended"), [("begun-0", "ends at offset 5"), ("begun-9", "is gone")])
def test_a_topic_that_was_made_anew(
    spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path, partition: str, ended: str
) -> None:
    table = beginning(tmp_path, broker, "begun", old.home.path).sources[0].table
    archive = ArchivedElsewhere(str(old.home.path), "", "orders_by_hour", until=99)
    with pytest.raises(InputError, match=f"up to offset 99, and the partition {ended}: the topic was made anew"):
        check_goes_on(spark, table, [SourceRange(partition, 0, 0, 0, archive=archive)])


def test_hours_that_their_owner_has_removed(
    spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path
) -> None:
    place = tmp_path / "copy"
    shutil.copytree(old.home.path.parent, place)
    outline = place / "home" / "outline.json"
    outline.write_text(outline.read_text().replace(str(old.home.path.parent), str(place)))
    shutil.rmtree(place / "archive" / "ds=2024-06-18" / "hh=10")
    with pytest.raises(
        InputError, match=r"lacks 3 files, which it had, up to ds=2024-06-18/hh=10: put back what is gone"
    ):
        check(spark, broker, tmp_path, place / "home")
    since = {"scan_startup_timestamp__millis": str(MORNING + 11 * HOUR)}
    plan = beginning(tmp_path, broker, "begun", place / "home", **since)
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    assert stream.driver.position.sources["orders"].rows == 4
    assert verify(spark, plan, stream.home).is_proven
    again = TopicStream(
        spark, beginning(tmp_path / "again", broker, "begun", place / "home", **since), tmp_path / "next"
    )
    again.driver.absorb("orders", again.enumerator.poll())
    shutil.rmtree(place / "archive" / "ds=2024-06-18" / "hh=12")
    # What is missing is no row less, neither for a driver that is reading nor for a verification.
    with pytest.raises(SurroundingsError, match=r"hh=12.* is gone: put it back"):
        again.absorb_new()
    problems = verify(spark, plan, stream.home).problems
    assert any("hh=12" in problem and "is gone: put it back" in problem for problem in problems)


def test_a_gap_between_archive_and_topic(
    spark: SparkSession, broker: Broker, topics: Topics, old: TopicStream, tmp_path: Path
) -> None:
    topics.write("begun", [order(1, 1, "12:31:00"), order(1, 1, "12:32:00")])
    topics.remove_before("begun", 0, 6)
    plan = beginning(tmp_path, broker, "begun", old.home.path)
    home = Home.create(tmp_path / "home", plan)
    with pytest.raises(
        InputError, match="ends at offset 5 of partition begun-0, and Kafka has removed the records up to 5: "
    ):
        Runner(spark, plan, home).run()
    assert home.log().last == -1
    check(spark, broker, tmp_path, old.home.path, scan_data__loss="skip")
