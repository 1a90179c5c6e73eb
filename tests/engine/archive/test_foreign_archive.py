"""An archive that others fill: backfill and verification read it, and nothing says when its rows arrived."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from tests.engine.archive.test_own_archive import report
from tests.engine.reports import HOUR, MORNING, rows_of
from tests.engine.sources.kafka.reports import TopicStream, order
from tests.servers.kafka import Broker, Topics

TEN = Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR)


def fill(place: Path, hour: int, minutes: list[int], folder: int | None = None) -> None:
    """Rows of an hour, in the folder of that hour or of another one."""
    directory = place / "archive" / "ds=2024-06-18" / f"hh={hour if folder is None else folder}"
    directory.mkdir(parents=True, exist_ok=True)
    rows = {
        "shop": pa.array([1] * len(minutes), pa.int32()),
        "price": pa.array([1] * len(minutes), pa.int32()),
        "ts": pa.array([datetime(2024, 6, 18, hour, minute) for minute in minutes], pa.timestamp("us")),
    }
    pq.write_table(pa.table(rows), directory / f"{len([*directory.iterdir()])}.parquet")


def curve(place: Path) -> list[tuple[str, int]]:
    return [(str(end)[11:16], n) for end, n, _ in rows_of(place / "curve", "json")]


def test_a_backfill_reads_it(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("foreign", 1)
    plan = report(tmp_path, broker.address, "foreign", archive_write="false")
    fill(tmp_path, 10, [1, 2, 31])
    home = Home.create(tmp_path / "home", plan)
    result = backfill(spark, plan, home, TEN, check=True)
    assert curve(tmp_path) == [("10:10", 2), ("10:40", 1)]
    assert result.verdict is not None and result.verdict.is_proven and result.verdict.equal == 2
    (note,) = result.verdict.notes
    assert "no difference is explained by late rows" in note
    with pytest.raises(InputError, match="'orders_by_hour' has no partition for 2024-06-18 11:00:00"):
        backfill(spark, plan, home, Interval(MORNING + 11 * HOUR, MORNING + 12 * HOUR), check=True)


def test_a_stream_is_compared_with_it(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("compared", 1)
    plan = report(tmp_path, broker.address, "compared", archive_write="false")
    stream = TopicStream(spark, plan, tmp_path / "home")
    for at in ("10:01:00", "10:31:00", "10:02:00", "11:30:00"):
        topics.write("compared", [order(1, 1, at)])
        stream.absorb_new()
    assert not (tmp_path / "archive").exists()
    fill(tmp_path, 10, [1, 31])
    fill(tmp_path, 11, [30])
    assert verify(spark, plan, stream.home, TEN).is_proven
    # The late row is in the archive now, and nothing says that it was late.
    fill(tmp_path, 10, [2])
    verdict = verify(spark, plan, stream.home, TEN)
    assert (verdict.equal, verdict.explained, verdict.unexplained) == (1, 0, 1)
    backfill(spark, plan, stream.home, TEN, check=False)
    assert curve(tmp_path)[0] == ("10:10", 2)
    assert verify(spark, plan, stream.home, TEN).is_proven


def test_a_row_in_the_folder_of_another_hour(spark: SparkSession, tmp_path: Path) -> None:
    """As where others name hours by another clock. A file that has no row of the interval is left out by its footer."""
    plan = report(tmp_path, "nowhere:9092", "strays", archive_write="false")
    fill(tmp_path, 10, [1, 2])
    fill(tmp_path, 10, [31], folder=18)
    fill(tmp_path, 13, [59])
    fill(tmp_path, 12, [0], folder=19)
    said: list[str] = []
    backfill(spark, plan, Home.create(tmp_path / "home", plan), TEN, check=False, say=said.append)
    assert curve(tmp_path) == [("10:10", 2), ("10:40", 1)]
    assert "source orders: 2 files, 2 left out: no row in windows" in said
