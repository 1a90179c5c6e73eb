"""A topic whose first records Kafka has removed, the home that archived them, and reports that begin there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.archive.test_own_archive import ARCHIVE
from tests.engine.reports import MINUTE
from tests.engine.sources.kafka.reports import COLUMNS, TopicStream, order, script
from tests.servers.kafka import Broker, Topics

BATCHES = (
    [(0, "10:01:00"), (1, "10:02:00")],
    [(0, "10:12:00"), (1, "11:01:00")],
    # Late, as the window of 10:10 is complete by then.
    [(0, "10:03:00"), (0, "11:02:00")],
    [(0, "12:01:00"), (1, "12:02:00")],
)
"""The partition and the time of each record. Prices count from 1."""
NEW = [(0, "12:31:00"), (1, "12:32:00")]
"""What comes after the archive."""
QUERY = """SELECT window_end, COUNT(*), CAST(MAX(price) AS BIGINT)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end"""
CURVE = [("10:10", 3, 5), ("10:20", 1, 3), ("11:10", 2, 6), ("12:10", 2, 8)]
"""Of `QUERY` over all records, none late; the window of `NEW` is open."""
ON_TIME = [("10:10", 2, 2), *CURVE[1:]]
"""The same without the row that came late."""


METADATA = """sent TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', kind STRING METADATA FROM 'timestamp-type',
  notes MAP<STRING, BYTES> METADATA FROM 'headers'"""
"""What the archive has beside the content of a record."""
ARCHIVE_WITH_METADATA = ARCHIVE.replace(
    "shop INT", "sent TIMESTAMP_LTZ(3), kind STRING, notes MAP<STRING, BYTES>, shop INT"
)


def write(topics: Topics, topic: str, rows: Sequence[tuple[int, str]], first: int) -> None:
    """Each record was sent as many seconds after a whole minute as its price, which is in a header, too."""
    minute = now_ms() // MINUTE * MINUTE
    for price, (partition, at) in enumerate(rows, first):
        topics.write(topic, [order(1, price, at)], partition, minute + 1000 * price, headers=[("price", str(price))])


def archived_topic(spark: SparkSession, broker: Broker, topics: Topics, topic: str, place: Path) -> TopicStream:
    """The stream that has archived `BATCHES` below a place; Kafka has removed them."""
    topics.create(topic, 2)
    text = script(broker.address, topic, f"{METADATA}, {COLUMNS}", archive="orders_by_hour")
    plan = plan_script(ARCHIVE_WITH_METADATA + text, {}, "orders_curve", place)
    stream = TopicStream(spark, plan, place / "home")
    price = 1
    for batch in BATCHES:
        write(topics, topic, batch, price)
        price += len(batch)
        stream.absorb_new()
    for partition, end in ((0, 5), (1, 3)):
        topics.remove_before(topic, partition, end)
    return stream


def beginning(place: Path, broker: Broker, topic: str, home: Path, ddl: str = "", **options: str) -> Plan:
    """A report that begins with the archive of that home, after the statements `ddl`."""
    given = {"query": QUERY, "scan_startup_mode": "archive", "scan_startup_home": str(home), **options}
    text = script(broker.address, topic, **given)
    return plan_script(ddl + text, {}, "orders_curve", place)
