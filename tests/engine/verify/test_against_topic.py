"""`verify --against topic`: the archive has the records of the topic, with the same values."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.verify.against_topic import verify_archives
from tests.engine.archive.test_own_archive import report
from tests.engine.sources.kafka.reports import TopicStream, order
from tests.engine.sources.kafka.reports import report as without_archive
from tests.servers.kafka import Broker, Topics


def test_an_archive_equals_its_topic(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("equal", 2)
    plan = report(tmp_path, broker.address, "equal", json_ignore__parse__errors="true")
    stream = TopicStream(spark, plan, tmp_path / "home")
    for n, at in enumerate(("10:01:00", "10:31:00", "10:02:00", "12:59:00")):
        topics.write("equal", [order(1, n, at), "{"], partition=n % 2)
        stream.absorb_new()
    (verdict,) = verify_archives(spark, plan, stream.home)
    assert verdict.is_equal and verdict.equal == 4 and not verdict.gone
    topics.remove_before("equal", 0, 2)
    (verdict,) = verify_archives(spark, plan, stream.home)
    assert verdict.is_equal and verdict.equal == 3
    assert len(verdict.gone) == 1 and "removed the records 0 to 1" in verdict.gone[0]


def test_what_differs_is_named(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("unequal", 1)
    plan = report(tmp_path, broker.address, "unequal")
    stream = TopicStream(spark, plan, tmp_path / "home")
    topics.write("unequal", [order(1, n, f"10:0{n}:00") for n in range(5)])
    stream.absorb_new()
    (file,) = (tmp_path / "archive").rglob("*.parquet")
    rows = pq.ParquetFile(file).read()
    price = pa.array([0, 1, 2, 9, 4], pa.int32())
    pq.write_table(rows.set_column(rows.schema.get_field_index("price"), "price", price), file)
    (verdict,) = verify_archives(spark, plan, stream.home)
    assert (verdict.equal, verdict.different, verdict.missing, verdict.extra) == (4, 1, 0, 0)
    (sample,) = verdict.samples
    assert sample.startswith("different unequal-0@3") and '"price":9' in sample and '"price":3' in sample
    pq.write_table(pa.concat_tables([rows.slice(1), rows.slice(4)]), file)
    (verdict,) = verify_archives(spark, plan, stream.home)
    assert (verdict.equal, verdict.different, verdict.missing, verdict.extra) == (3, 0, 1, 1)
    assert not verdict.is_equal and verdict.lines[-1] == "NOT EQUAL"


def test_a_report_without_an_archive(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("bare", 1)
    plan = without_archive(tmp_path, broker.address, "bare")
    stream = TopicStream(spark, plan, tmp_path / "home")
    with pytest.raises(InputError, match="'archive' of a source names one"):
        verify_archives(spark, plan, stream.home)
