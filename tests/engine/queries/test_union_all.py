"""UNION ALL: of tables, below a window, and of windows that are not the same; as a stream, in batch, and verified."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import MINUTE, MORNING, Stream, clock, plan_of, write_lines

TABLES = "\n".join(
    f"CREATE TABLE {name} (k STRING, {number}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
    f"WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/{name}', 'format' = 'json');"
    for name, number in (("bids", "n INT"), ("asks", "m BIGINT"))
)
OUT = "CREATE TABLE o (k STRING, n BIGINT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/o', 'format' = 'json');"
BOTH = "SELECT k, n, ts FROM bids UNION ALL SELECT k, m, ts FROM asks"
WINDOW = "DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, k"
QUERIES = {
    "tables": ("SELECT k, n FROM bids UNION ALL SELECT k, m FROM asks", {("a", 1): 1, ("a", 2): 2, ("b", 4): 2}),
    "one table twice": ("SELECT k, n FROM bids UNION ALL SELECT k, n * 10 FROM bids", {("a", 1): 1, ("a", 10): 1, ("b", 4): 1, ("b", 40): 1}),  # noqa: E501
    "below a window": (f"SELECT k, SUM(n) FROM TABLE(TUMBLE(({BOTH}), {WINDOW}", {("a", 5): 1, ("b", 8): 1}),
    "tagged below a window": (f"SELECT side, SUM(n) FROM TABLE(TUMBLE((SELECT 'bid' AS side, n, ts FROM bids UNION ALL SELECT 'a', m, ts FROM asks), {WINDOW.replace(', k', ', side')}", {("bid", 1): 1, ("bid", 4): 1, ("a", 4): 2}),  # noqa: E501
    "rows below a Top-N": (f"SELECT k, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n) AS i FROM TABLE(TUMBLE((SELECT k, n, ts FROM bids UNION ALL SELECT k, n, ts FROM bids), {WINDOW.partition(' GROUP')[0]}) WHERE i < 3", {("a", 1): 2, ("b", 4): 2}),  # noqa: E501
    "a window and a table": (f"SELECT k, SUM(m) FROM TABLE(TUMBLE(TABLE asks, {WINDOW} UNION ALL SELECT k, n FROM bids", {("a", 4): 1, ("b", 4): 2, ("a", 1): 1}),  # noqa: E501
    "different windows": (f"SELECT k, SUM(m) FROM TABLE(TUMBLE(TABLE asks, {WINDOW} UNION ALL SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE bids, {WINDOW.replace('1', '2')}", {("a", 4): 1, ("b", 4): 1, ("a", 1): 1, ("b", 1): 1}),  # noqa: E501
}  # fmt: skip


def fill(place: Path) -> list[tuple[str, Path]]:
    """Two files of bids around one of asks; the last file has a row that is late for the minute before."""
    rows: list[tuple[str, list[dict[str, Any]]]] = [
        ("bids", [{"k": "a", "n": 1, "ts": clock(MORNING)}]),
        ("asks", [{"k": "a", "m": 2, "ts": clock(MORNING)}, {"k": "a", "m": 2, "ts": clock(MORNING + 1)}]),
        ("bids", [{"k": "b", "n": 4, "ts": clock(MORNING + MINUTE)}]),
        ("asks", [{"k": "b", "m": 4, "ts": clock(MORNING + MINUTE)}]),
    ]
    return [
        (name, write_lines(place / name / f"{number}.json", map(json.dumps, lines)))
        for number, (name, lines) in enumerate(rows)
    ]


@pytest.mark.parametrize("mode", ["stream", "batch"])
@pytest.mark.parametrize("what", QUERIES)
def test_rows(spark, tmp_path: Path, what: str, mode: str) -> None:
    query, expected = QUERIES[what]
    fill(tmp_path)
    lines = run_bounded(spark, plan_query(TABLES.replace("${DATA}/", ""), query, tmp_path), mode)
    assert Counter(tuple(json.loads(line).values()) for line in lines) == expected


@pytest.mark.parametrize("what", QUERIES)
def test_a_report_of_many_batches_is_proven(spark, tmp_path: Path, what: str) -> None:
    query, expected = QUERIES[what]
    stream = Stream(spark, plan_of(tmp_path, TABLES, OUT, f"INSERT INTO o {query};"), tmp_path / "home")
    for name, file in fill(tmp_path):
        if any(source.name == name for source in stream.plan.sources):
            stream.absorb(file, source=name)
    stream.end()
    files = (tmp_path / "o").rglob("*.json")
    rows = Counter(tuple(json.loads(line).values()) for file in files for line in file.read_text().splitlines())
    assert rows == expected
    assert verify(spark, stream.plan, stream.home).is_proven


def test_a_late_row_of_one_table(spark, tmp_path: Path) -> None:
    """Time is that of the slower table; the ledger says of which table a late row is."""
    stream = Stream(
        spark, plan_of(tmp_path, TABLES, OUT, f"INSERT INTO o {QUERIES['below a window'][0]};"), tmp_path / "h"
    )
    for name, file in fill(tmp_path):
        stream.absorb(file, source=name)
    late = write_lines(tmp_path / "asks" / "late.json", [json.dumps({"k": "a", "m": 100, "ts": clock(MORNING)})])
    stream.absorb(late, source="asks")
    stream.end()
    assert stream.driver.position.late == 1
    (ledger,) = stream.home.ledger.local.rglob("late-*/*.txt")
    assert json.loads(json.loads(ledger.read_text())["row"])["row"]["m"] == 100
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven
    assert verdict.inserts[0].explained == 1
