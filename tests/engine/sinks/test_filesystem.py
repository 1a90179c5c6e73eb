"""Files of results: all formats, partitions, several inserts over one source, any reader."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from tests.engine.no_spark import NO_SPARK
from tests.engine.oracle import Windowing, count_in
from tests.engine.reports import (
    FEW,
    HOUR,
    MINUTE,
    Event,
    Stream,
    curve_insert,
    cut,
    events_table,
    ordered,
    plan_of,
    random_events,
    rows_of,
)

TUMBLE = Windowing("TUMBLE", 30 * MINUTE, 30 * MINUTE)
CUMULATE = Windowing("CUMULATE", HOUR, 10 * MINUTE)
SHOWN = {**FEW, "items": ("STRING", "MAX(item)")}


@pytest.fixture(scope="module")
def mixed(spark, tmp_path_factory) -> Iterator[tuple[Path, Stream, list[Event]]]:
    """One source, five inserts, each to another kind of table; two of them share an operator's slices."""
    place = tmp_path_factory.mktemp("mixed")
    day = {"day": ("STRING", "DATE_FORMAT(window_start, 'yyyy-MM-dd')")}
    daily = curve_insert(TUMBLE.sql, {**SHOWN, **day}, "daily").replace("\nWITH", " PARTITIONED BY (day) WITH", 1)
    raw = """
CREATE TABLE raw (id BIGINT, item STRING, window_end TIMESTAMP(3)) WITH (
    'connector' = 'filesystem', 'path' = '${DATA}/raw', 'format' = 'json');
INSERT INTO raw SELECT id, item, window_end
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '30' MINUTE)) WHERE id < 50;"""
    plan = plan_of(
        place,
        events_table(),
        curve_insert(TUMBLE.sql, SHOWN),
        curve_insert(CUMULATE.sql, SHOWN, "as_csv", format="csv", csv__null_literal="NULL"),
        curve_insert(TUMBLE.sql, SHOWN, "as_json", format="json"),
        daily,
        raw,
    )
    events = random_events(1, 200, 3 * HOUR)
    stream = Stream(spark, plan, place / "home")
    stream.absorb_batches(place, cut(events, 1, 3))
    stream.end()
    yield place, stream, events


def test_parquet(spark, mixed) -> None:
    # This file is collected with the unit tests.
    import pandas

    place, _, events = mixed
    expected = count_in(TUMBLE, [events], SHOWN)
    assert rows_of(place / "curve") == expected
    assert ordered(spark.read.parquet(str(place / "curve")).collect()) == expected
    assert len(pandas.read_parquet(place / "curve")) == len(expected)
    ends = {row[2] for row in expected}
    assert len(list((place / "curve").glob("*.parquet"))) == len(ends)


def test_csv(mixed) -> None:
    place, _, events = mixed
    rows = []
    for file in (place / "as_csv").glob("*.csv"):
        with open(file, newline="") as lines:
            rows += list(csv.reader(lines))
    expected = [
        ["NULL" if value is None else str(value) for value in row] for row in count_in(CUMULATE, [events], SHOWN)
    ]
    stamped = [[field + ".000" if n in (1, 2) else field for n, field in enumerate(row)] for row in expected]
    assert sorted(rows) == sorted(stamped)


def test_json(mixed) -> None:
    place, _, events = mixed
    rows = [json.loads(line) for file in (place / "as_json").glob("*.json") for line in file.read_text().splitlines()]
    expected = count_in(TUMBLE, [events], SHOWN)
    assert list(rows[0]) == ["shop", "window_start", "window_end", "n", "users", "gmv", "items"]
    got = [
        (row["shop"], row["n"], row["users"], None if row["gmv"] is None else f"{row['gmv']:.2f}", row["items"])
        for row in rows
    ]
    assert ordered(got) == ordered(
        (row[0], row[3], row[4], None if row[5] is None else str(row[5]), row[6]) for row in expected
    )
    assert {row["window_start"] for row in rows} == {
        row[1].isoformat(sep=" ", timespec="milliseconds") for row in expected
    }


def test_partitions(spark, mixed) -> None:
    """All columns are in the files or in the folders."""
    place, _, events = mixed
    expected = [(*row, "2024-06-18") for row in count_in(TUMBLE, [events], SHOWN)]
    columns = "shop, window_start, window_end, n, users, gmv, items, CAST(day AS STRING)"
    pattern = f"read_parquet('{place}/daily/**/*.parquet', hive_partitioning = true)"
    assert ordered(duckdb.sql(f"SELECT {columns} FROM {pattern}").fetchall()) == expected
    assert ordered(spark.read.parquet(str(place / "daily")).selectExpr(*columns.split(", ")).collect()) == expected
    assert [path.name for path in (place / "daily").iterdir() if path.is_dir()] == ["day=2024-06-18"]


def test_rows_that_pass(mixed) -> None:
    place, _, events = mixed
    rows = [json.loads(line) for file in (place / "raw").glob("*.json") for line in file.read_text().splitlines()]
    assert sorted(row["id"] for row in rows) == [event.id for event in events if event.id < 50]


def test_nothing_else_shows(mixed) -> None:
    place, stream, _ = mixed
    for insert in stream.plan.inserts:
        root = place / insert.name
        others = [path for path in root.rglob("*") if path.is_file() and path.suffix != f".{insert.sink.format}"]
        assert sorted(path.name for path in others) == [".nrt-home", ".nrt-owner"]
    assert not list(stream.home.staged.local.iterdir())


def test_every_format_is_verified(spark, mixed) -> None:
    _, stream, _ = mixed
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven, verdict
    assert [one.windows > 0 for one in verdict.inserts] == [True] * 5


# ---------------------------------------------------------------------------------------------------- refusals


def test_a_directory_has_one_home(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE.sql, FEW))
    Stream(spark, plan, tmp_path / "home")
    with pytest.raises(InputError, match=r"another home publishes to .*, its path '.*'\). Is the path of this"):
        Stream(spark, plan, tmp_path / "other")


def test_a_sink_is_not_in_its_home(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE.sql, FEW, path="${DATA}/home/curve"))
    with pytest.raises(InputError, match="must not contain each other"):
        Home.create(tmp_path / "home", plan)


def test_a_sink_is_a_directory(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE.sql, FEW))
    (tmp_path / "curve").write_text("")
    with pytest.raises(InputError, match="is a file, a directory is needed"):
        sink_of(plan.inserts[0]).check(NO_SPARK, Home.create(tmp_path / "home", plan), plan.inserts[0])
