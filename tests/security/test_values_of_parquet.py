"""Values of Parquet that no text format could hold: all rows arrive, whatever the sink writes."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as parquet
from hypothesis import example, given, settings
from hypothesis import strategies as st

from airflow_nrt.model.options.csv_rows import csv_rows
from tests.engine.reports import Stream, plan_of

NOON = 1_700_000_000_000_000
COLUMNS = "id INT, note STRING, `at` TIMESTAMP(6), `day` DATE"
FORMATS = ("csv", "json", "parquet")
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20) | st.sampled_from(
    ["", "NULL", "\0", "\r\n", "\u2028\x85", '"', ",", "=1+1", "\ufeff", "x" * 200_000]
)
ROWS = st.tuples(TEXTS, st.integers(-(2**63), 2**63 - 1), st.integers(-(2**31), 2**31 - 1))


def report() -> str:
    tables = [
        f"CREATE TABLE {name} ({COLUMNS}) WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/{name}', "
        f"'format' = '{form}')"
        for name, form in (("given", "parquet"), *((f"of_{form}", form) for form in FORMATS))
    ]
    return ";".join([*tables, *(f"INSERT INTO of_{form} SELECT * FROM given" for form in FORMATS)])


@settings(max_examples=1)
@given(rows=st.lists(ROWS, min_size=30, max_size=40))
@example(rows=[("x" * 1_000_000, 2**63 - 1, 2**31 - 1), ("y", -(2**63), -(2**31)), ('"\0\r\n,', NOON, 0)])
def test_all_rows_arrive_in_all_formats(spark, tmp_path_factory, rows: list[tuple[str, int, int]]) -> None:
    place = tmp_path_factory.mktemp("values")
    texts, times, days = zip(*rows)
    columns = {
        "id": pa.array(range(len(rows)), pa.int32()),
        "note": pa.array(texts),
        "at": pa.array(times, pa.int64()).cast(pa.timestamp("us")),
        "day": pa.array(days, pa.int32()).cast(pa.date32()),
    }
    (place / "given").mkdir()
    parquet.write_table(pa.table(columns), place / "given" / "0.parquet")
    stream = Stream(spark, plan_of(place, report()), place / "home")
    stream.absorb(place / "given" / "0.parquet", source="given")
    stream.end()
    (csv_file,), (json_file,), (parquet_file,) = ([*(place / f"of_{form}").glob(f"*.{form}")] for form in FORMATS)
    assert sorted(int(row[0]) for row in csv_rows(csv_file, {})) == [*range(len(rows))]
    told = {row["id"]: row["note"] for row in map(json.loads, json_file.read_bytes().split(b"\n")[:-1])}
    assert told == dict(enumerate(texts))
    kept = parquet.read_table(parquet_file, columns=["id", "note"]).to_pylist()
    assert {row["id"]: row["note"] for row in kept} == dict(enumerate(texts))
