"""Files that can't be read, if the table allows to leave them out: counted, distinguished from failures, verified."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_nrt.engine.driver import spark_computation
from airflow_nrt.engine.verify.verify import verify
from tests.engine.oracle import Windowing
from tests.engine.reports import FEW, HOUR, Stream, curve_insert, events_table, plan_of, random_events

TUMBLE = Windowing("TUMBLE", HOUR, HOUR)
TOLERANT = {"format": "parquet", "source__ignore_corrupt": "true", "scan__null_rowtime": "skip"}


def parquet(path: Path, seed: int, timeless: int = 0) -> Path:
    """Events of an hour and more, the first few of them without a rowtime."""
    events = random_events(seed, 40, 2 * HOUR)
    columns = {
        "id": pa.array([event.id for event in events], pa.int64()),
        "shop": pa.array([event.shop for event in events], pa.int32()),
        "user_id": pa.array([event.user for event in events], pa.int32()),
        "item": pa.array([event.item for event in events], pa.string()),
        "price": pa.array([event.price for event in events], pa.decimal128(10, 2)),
        "weight": pa.array([event.weight for event in events], pa.float64()),
        "ts": pa.array(
            [None if n < timeless else event.at * 1000 for n, event in enumerate(events)], pa.timestamp("us")
        ),
    }
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


@pytest.fixture
def stream(spark, tmp_path: Path) -> Stream:
    table = (
        events_table(**TOLERANT).replace("'csv.null-literal' = 'NULL', ", "").replace("'csv.null-literal' = 'NULL'", "")
    )
    return Stream(spark, plan_of(tmp_path, table, curve_insert(TUMBLE.sql, FEW)), tmp_path / "home")


def test_beside_rejected_rows(spark, tmp_path: Path, stream: Stream) -> None:
    good = parquet(tmp_path / "events" / "good.parquet", 1, timeless=2)
    bad = tmp_path / "events" / "bad.parquet"
    bad.write_bytes(good.read_bytes()[:-100])
    stream.absorb(good, bad)
    assert stream.driver.position.sources["events"].rejected == 3
    stream.end()
    assert verify(spark, stream.plan, stream.home).is_proven


def test_several_in_one_batch(tmp_path: Path, stream: Stream) -> None:
    """Whichever of them Spark comes to first, each time."""
    good = parquet(tmp_path / "events" / "good.parquet", 1)
    bad = [tmp_path / "events" / f"bad{n}.parquet" for n in range(3)]
    for file in bad:
        file.write_bytes(good.read_bytes()[:-100])
    stream.absorb(bad[0], good, *bad[1:])
    assert stream.driver.position.sources["events"].rows == 40
    assert stream.driver.position.sources["events"].rejected == 3


def test_that_can_be_read_after_all(spark, tmp_path: Path, stream: Stream) -> None:
    """The same file by size and time, and readable: the curve lacks its rows."""
    file = parquet(tmp_path / "events" / "1.parquet", 1)
    content = file.read_bytes()
    file.write_bytes(b"\0" * len(content))
    stat = file.stat()
    stream.absorb(parquet(tmp_path / "events" / "0.parquet", 2), file)
    stream.end()
    assert verify(spark, stream.plan, stream.home).is_proven
    file.write_bytes(content)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    verdict = verify(spark, stream.plan, stream.home)
    assert not verdict.is_proven
    assert verdict.problems == (f"the source file {file} was left out as unreadable, and can be read",)


def test_only_for_a_moment(spark, tmp_path: Path, stream: Stream, monkeypatch) -> None:
    """A disk that fails once: the file is read again before it is given up."""
    file = parquet(tmp_path / "events" / "1.parquet", 1)
    content = file.read_bytes()
    file.write_bytes(content[:-100])
    named = spark_computation.corrupt_file

    def mended(*arguments) -> str:
        file.write_bytes(content)
        return named(*arguments)

    monkeypatch.setattr(spark_computation, "corrupt_file", mended)
    stream.absorb(file)
    assert stream.driver.position.sources["events"].rows == 40
    assert stream.driver.position.sources["events"].rejected == 0
