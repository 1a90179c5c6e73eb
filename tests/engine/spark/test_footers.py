"""Times that the footers of Parquet files say, or leave open."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_nrt.engine.spark.footers import times_in

NOON = datetime(2024, 6, 18, 12)
MS = int(NOON.replace(tzinfo=timezone.utc).timestamp() * 1000)
TIMES = [NOON + timedelta(microseconds=n * 1_000_500) for n in range(4)]


def written(path: Path, column: pa.Array, **options: object) -> Path:
    pq.write_table(pa.table({"ts": column}), path, row_group_size=2, **options)
    return path


@pytest.mark.parametrize("kind", [pa.timestamp(unit, zone) for unit in ("ms", "us", "ns") for zone in (None, "UTC")])
def test_the_extremes_of_all_row_groups(kind: pa.DataType, tmp_path: Path) -> None:
    times = [None, *TIMES, None, None]
    file = written(tmp_path / "a", pa.array(times, pa.timestamp("us")).cast(kind, safe=False))
    assert times_in(file, ["ts"]) == (MS, MS + 3001)


def test_a_time_within_a_row(tmp_path: Path) -> None:
    pq.write_table(pa.table({"event": [{"at": at} for at in TIMES]}), tmp_path / "a")
    assert times_in(tmp_path / "a", ["event", "at"]) == (MS, MS + 3001)


def test_what_is_not_said_is_open(tmp_path: Path) -> None:
    times = pa.array(TIMES, pa.timestamp("us"))
    assert times_in(written(tmp_path / "a", times, use_deprecated_int96_timestamps=True), ["ts"]) is None
    assert times_in(written(tmp_path / "b", times, write_statistics=False), ["ts"]) is None
    assert times_in(written(tmp_path / "c", pa.array([None, None], pa.timestamp("us"))), ["ts"]) is None
    assert times_in(written(tmp_path / "d", pa.array([1, 2])), ["ts"]) is None
    assert times_in(written(tmp_path / "e", times), ["other"]) is None
    old = pa.array([datetime(1582, 10, 4), NOON], pa.timestamp("us"))
    assert times_in(written(tmp_path / "f", old), ["ts"]) is None
    (tmp_path / "g").write_text("no such file")
    with pytest.raises(ValueError, match="no Parquet file"):
        times_in(tmp_path / "g", ["ts"])
