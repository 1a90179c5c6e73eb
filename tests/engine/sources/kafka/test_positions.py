"""Where reading begins and ends, and records that are gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.sources.kafka.client import Client
from airflow_nrt.engine.sources.kafka.offset_ranges import joined, rounds
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.log.splits import SourceRange, ranges_of
from tests.engine.sources.kafka.reports import TopicStream, order, report
from tests.servers.kafka import Broker, Topics

AT = "partition:0,offset:{};partition:1,offset:{}"
TEN = [order(1, 1, f"10:0{n}:00") for n in range(10)]


def read(spark, broker: Broker, topic: str, place: Path, **options: str) -> list[tuple[str, int, int]]:
    """What a new home reads of a topic: partition, first offset, offset after the last."""
    plan = report(place, broker.address, topic, **options)
    found = joined(ranges_of(arrived(spark, plan.sources[0].table)))
    return [(one.part, one.start, one.end) for one in found]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"scan_startup_mode": "earliest-offset"}, [(0, 10), (0, 10)]),
        ({"scan_startup_mode": "latest-offset"}, [(10, 10), (10, 10)]),
        ({"scan_startup_mode": "timestamp", "scan_startup_timestamp__millis": "1004"}, [(4, 10), (10, 10)]),
        (
            {
                "scan_startup_mode": "specific-offsets",
                "scan_startup_specific__offsets": "partition:0,offset:3;partition:1,offset:9",
            },
            [(3, 10), (9, 10)],
        ),
        ({"scan_startup_mode": "group-offsets", "properties_group_id": "readers"}, [(2, 10), (5, 10)]),
        ({"scan_bounded_mode": "latest-offset"}, [(0, 10), (0, 10)]),
        ({"scan_bounded_mode": "timestamp", "scan_bounded_timestamp__millis": "1003"}, [(0, 3), (0, 10)]),
        (
            {
                "scan_bounded_mode": "specific-offsets",
                "scan_bounded_specific__offsets": "partition:0,offset:1;partition:1,offset:2",
            },
            [(0, 1), (0, 2)],
        ),
        ({"scan_bounded_mode": "group-offsets", "properties_group_id": "readers"}, [(0, 2), (0, 5)]),
    ],
    ids=lambda one: "-".join(one.values()) if isinstance(one, dict) else "",
)
def test_from_where_to_where(spark, broker: Broker, positions: str, tmp_path: Path, options, expected) -> None:
    found = read(spark, broker, positions, tmp_path, **{"scan_startup_mode": "earliest-offset", **options})
    assert found == [(f"{positions}-{n}", start, end) for n, (start, end) in enumerate(expected)]


@pytest.fixture(scope="module")
def positions(topics: Topics) -> str:
    """A topic of two partitions with ten records each; those of the first have the times 1000 to 1009, the others 1."""
    topics.create("positions", 2)
    for n, value in enumerate(TEN):
        topics.write("positions", [value], 0, 1000 + n)
        topics.write("positions", [value], 1, 1)
    topics.commit("readers", {("positions", 0): 2, ("positions", 1): 5})
    return "positions"


def test_a_group_without_offsets(spark, broker: Broker, positions: str, tmp_path: Path) -> None:
    options = {"scan_startup_mode": "group-offsets", "properties_group_id": "nobody"}
    with pytest.raises(InputError, match="group 'nobody' has no offset of partition positions-0: choose another 'scan"):
        read(spark, broker, positions, tmp_path, **options)


def test_the_latest_offset_is_that_of_the_first_start(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("latest", 1)
    topics.write("latest", TEN[:3])
    plan = report(tmp_path, broker.address, "latest", scan_startup_mode="latest-offset")
    TopicStream(spark, plan, tmp_path / "home").absorb_new()
    topics.write("latest", TEN[3:5])
    # The driver was away when these came.
    again = TopicStream(spark, plan, tmp_path / "home")
    again.absorb_new()
    assert [one.body.rows for one in again.entries if isinstance(one.body, Commit)] == [0, 2]


def test_where_reading_began_outlives_a_first_batch_that_fails(
    spark, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("began", 1)
    plan = report(tmp_path, broker.address, "began", scan_startup_mode="latest-offset", source_rejected_limit="0")
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    topics.write("began", ["{"])
    with pytest.raises(Exception, match="a malformed line"):
        stream.absorb_new()
    topics.write("began", TEN[:1])
    again = TopicStream(spark, plan, tmp_path / "home")
    assert [(one.start, one.end) for one in ranges_of(again.enumerator.poll())] == [(0, 2)]


def test_a_bounded_topic_ends_and_publishes_its_last_window(
    spark, broker: Broker, positions: str, tmp_path: Path
) -> None:
    plan = report(tmp_path, broker.address, positions, scan_bounded_mode="latest-offset")
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home).run() == "finished"
    assert home.log().position().sources["orders"].rows == 20
    verdict = verify(spark, plan, home)
    assert (verdict.is_proven, verdict.late_rows, verdict.inserts[0].equal) == (True, 0, 1)


def test_records_that_kafka_has_removed_are_no_silent_loss(
    spark, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("short", 1)
    topics.write("short", TEN[:2])
    plan = report(tmp_path, broker.address, "short")
    TopicStream(spark, plan, tmp_path / "home").absorb_new()
    topics.write("short", TEN[2:8])
    topics.remove_before("short", 0, 6)
    with pytest.raises(InputError, match="removed the records 2 to 5 of partition short-0 before they were read"):
        TopicStream(spark, plan, tmp_path / "home").absorb_new()
    lenient = TopicStream(spark, report(tmp_path, broker.address, "short", scan_data__loss="skip"), tmp_path / "home")
    lenient.absorb_new()
    commit = [one.body for one in lenient.entries if isinstance(one.body, Commit)][-1]
    assert [(one.start, one.end, one.lost) for one in commit.ranges] == [(2, 6, True), (6, 8, False)]
    (lost,) = records(lenient.home.root / commit.ledger / REJECTED)
    assert (lost["reason"], lost["file"]) == ("lost before it was read", "short-0@2-6")
    # What was read before is gone, too, so nothing proves it any more.
    (problem,) = verify(spark, lenient.plan, lenient.home).problems
    assert problem.startswith(
        "short-0: Kafka has removed the records 0 to 5, which were read: nothing proves their wind"
    )
    topics.remove_before("short", 0, 8)
    (problem,) = verify(spark, lenient.plan, lenient.home).problems
    assert problem.startswith("short-0: Kafka has removed the records 0 to 7, which were read")


def test_a_topic_that_was_made_anew(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("anew", 1)
    topics.write("anew", TEN)
    plan = report(tmp_path, broker.address, "anew")
    TopicStream(spark, plan, tmp_path / "home").absorb_new()
    topics.delete("anew")
    topics.create("anew", 1)
    topics.write("anew", TEN[:3])
    plan = report(tmp_path, broker.address, "anew", scan_topic__id="ignore")
    with pytest.raises(InputError, match="anew-0 ends at offset 3, and was read up to 10: the topic was made anew"):
        TopicStream(spark, plan, tmp_path / "home").absorb_new()


def test_a_topic_that_was_made_anew_and_is_longer(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    """Nothing but its id says that the records after the first ten are not the next ones."""
    topics.create("longer", 2)
    topics.write("longer", TEN)
    plan = report(tmp_path, broker.address, "longer")
    TopicStream(spark, plan, tmp_path / "home").absorb_new()
    # A driver that starts again reads on in the same topic.
    topics.write("longer", TEN[:1])
    TopicStream(spark, plan, tmp_path / "home").absorb_new()
    topics.delete("longer")
    topics.create("longer", 2)
    topics.write("longer", [*TEN, *TEN])
    with pytest.raises(InputError, match=r"topic longer was made anew: its id is .{22}, and records of"):
        TopicStream(spark, plan, tmp_path / "home").absorb_new()
    home = Home.open(tmp_path / "home")
    verdict = verify(spark, plan, home)
    assert not verdict.is_proven and verdict.inserts[0].equal == 0, verdict
    assert any("topic longer was made anew, so that its offsets have other records" in one for one in verdict.problems)
    mirror = report(tmp_path, broker.address, "longer", scan_topic__id="ignore")
    stream = TopicStream(spark, mirror, tmp_path / "home")
    stream.absorb_new()
    assert stream.driver.position.sources["orders"].rows == 20


def test_a_home_that_does_not_know_the_topic_s_id_notes_it(
    spark, broker: Broker, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics.create("noted", 2)
    topics.write("noted", TEN)
    plan = report(tmp_path, broker.address, "noted")
    with monkeypatch.context() as patch:
        patch.setattr(Client, "topic_ids", property(lambda self: {}, lambda self, ids: None), raising=False)
        TopicStream(spark, plan, tmp_path / "home").absorb_new()
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    ranges = [one for entry in stream.entries if isinstance(entry.body, Commit) for one in ranges_of(entry.body.splits)]
    noted = [(one.part, one.start, one.end) for one in ranges if one.topic_id is not None]
    assert noted == [("noted-0", 10, 10)]
    stream.absorb_new()
    assert verify(spark, plan, stream.home).is_proven


def test_rounds_take_the_same_share_of_every_partition() -> None:
    found = list(rounds({"t-0": (0, 300_000), "t-1": (50, 100_050), "t-2": (7, 7)}))
    assert {one.part for one in found} == {"t-0", "t-1"}
    assert [(one.start, one.end) for one in found if one.part == "t-1"] == [
        (50, 25_050),
        (25_050, 50_050),
        (50_050, 75_050),
        (75_050, 100_050),
    ]
    assert joined(found) == [SourceRange("t-0", 0, 300_000, 60_000_000), SourceRange("t-1", 50, 100_050, 20_000_000)]


def test_ranges_are_in_the_order_of_their_partitions() -> None:
    found = joined([SourceRange("t-10", 0, 1, 1), SourceRange("t-9", 5, 6, 1), SourceRange("t-9", 0, 4, 1)])
    assert [(one.part, one.start) for one in found] == [("t-9", 0), ("t-9", 5), ("t-10", 0)]
