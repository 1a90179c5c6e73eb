"""Records of csv over several lines; and what the csv sink writes, the csv source reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import Stream, plan_of, source_file, write_lines

FILES = {
    "LF": (b'1,"two\nlines"\n2,x\n', ["two\nlines", "x"]),
    "CRLF": (b'1,"two\r\nlines"\r\n2,x\r\n', ["two\r\nlines", "x"]),
    "CR in quotes": (b'1,"a\rb"\n2,x\n', ["a\rb", "x"]),
    "CR ends a line": (b'1,"a"\r2,x\r', ["a", "x"]),
    "begins with a break": (b'1,"\nx"\n2,"y\n"\n', ["\nx", "y\n"]),
    "empty lines": (b'1,"a\n\n\nb"\n\n2,x', ["a\n\n\nb", "x"]),
    "quotes inside": (b'1,"a ""b\n"" , c"\n2,","\n3,"\n,"\n', ['a "b\n" , c', ",", "\n,"]),
    "a quote in the middle": (b'1,a"b\n2,"x\ny"\n3,5"\n', ['a"b', "x\ny", '5"']),
    "looks like other lines": (b'1,"\n2,x\n3,""y"""\n4,z\n', ['\n2,x\n3,"y"', "z"]),
}


def texts(spark, place: Path, mode: str = "batch") -> list[str]:
    ddl = f"CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{place}', 'format' = 'csv');"
    lines = run_bounded(spark, plan_query(ddl, "SELECT * FROM t", place), mode)
    return [row["s"] for row in sorted(map(json.loads, lines), key=lambda row: row["id"])]


@pytest.mark.parametrize("what", FILES)
def test_records_of_several_lines(spark, tmp_path: Path, what: str) -> None:
    content, expected = FILES[what]
    (tmp_path / "a.csv").write_bytes(content)
    assert texts(spark, tmp_path) == expected


def test_a_quote_in_a_comment_opens_nothing(spark, tmp_path: Path) -> None:
    """Of the record that it would open nothing would be left, for it would be a comment."""
    (tmp_path / "a.csv").write_text('# units,"inch\n1,"a"\n2,"b\n# no comment"\n  # last,"one\n3,c\n')
    ddl = f"""CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}',
    'format' = 'csv', 'csv.allow-comments' = 'true');"""
    lines = run_bounded(spark, plan_query(ddl, "SELECT * FROM t", tmp_path), "batch")
    assert sorted(json.loads(line)["s"] for line in lines) == ["a", "b\n# no comment", "c"]


def test_beside_files_without_quotes(spark, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('1,"x\ny"\n')
    (tmp_path / "b.csv").write_text("2,z\n3,w\n")
    assert texts(spark, tmp_path, "stream") == ["x\ny", "z", "w"]


def test_in_a_compressed_file(spark, tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(FILES["CRLF"][0]))
    assert texts(spark, tmp_path) == FILES["CRLF"][1]


def test_order_of_arrival(spark, tmp_path: Path) -> None:
    """Of equal rows the first by arrival: in each file its records are in order, the files as they came."""
    ddl = """CREATE TABLE t (k INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
        'connector' = 'filesystem', 'path' = '${DATA}/t', 'format' = 'csv');
        CREATE TABLE r (k INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '${DATA}/r', 'format' = 'parquet');
        INSERT INTO r SELECT k, FIRST_VALUE(s) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))
        GROUP BY k, window_start, window_end;"""
    lines = [f'{n % 3},"{n}\n{n % 3}",2024-01-01 00:00:00' for n in range(40)]
    stream = Stream(spark, plan_of(tmp_path, ddl), tmp_path / "home")
    stream.absorb(write_lines(tmp_path / "t" / "a.csv", lines), source="t")
    stream.end()
    rows = spark.read.parquet(str(tmp_path / "r")).collect()
    assert sorted((row.k, row.s) for row in rows) == [(0, "0\n0"), (1, "1\n1"), (2, "2\n2")]


TEXT = st.text(st.sampled_from(list("ab\"',;# \t\n\r\\é0")), max_size=8)
ROUND = """
CREATE TABLE texts (id INT, s STRING, t STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/texts', 'format' = 'json');
CREATE TABLE written (id INT, s STRING, t STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/written', 'format' = 'csv', 'csv.null-literal' = 'NULL');
INSERT INTO written SELECT id, s, t FROM texts;
"""


def test_bytes_go_there_and_back(spark, tmp_path: Path) -> None:
    ddl = """
    CREATE TABLE a (id INT, b BYTES) WITH ('connector' = 'filesystem', 'path' = '${DATA}/a', 'format' = 'json');
    CREATE TABLE w (id INT, b BYTES) WITH ('connector' = 'filesystem', 'path' = '${DATA}/w', 'format' = 'csv',
        'csv.null-literal' = 'NULL');
    INSERT INTO w SELECT id, b FROM a;"""
    plan = plan_of(tmp_path, ddl)
    stream = Stream(spark, plan, tmp_path / "home")
    lines = ['{"id": 1, "b": "/wD+"}', '{"id": 2, "b": null}']
    stream.driver.absorb("a", [source_file(write_lines(tmp_path / "a" / "a.json", lines))], ends=True)
    assert verify(spark, plan, stream.home).is_proven
    read = ddl.split(";")[1].replace("${DATA}", str(tmp_path)) + ";"
    found = [json.loads(one) for one in run_bounded(spark, plan_query(read, "SELECT id, b FROM w", tmp_path), "batch")]
    assert sorted(found, key=lambda row: row["id"]) == [{"id": 1, "b": "/wD+"}, {"id": 2, "b": None}]


@settings(max_examples=10)
@given(rows=st.lists(st.tuples(TEXT, st.none() | TEXT), min_size=20, max_size=60))
def test_what_the_sink_writes_the_source_reads(spark, tmp_path_factory, rows: list[tuple[str, str | None]]) -> None:
    place = tmp_path_factory.mktemp("round")
    stream = Stream(spark, plan_of(place, ROUND), place / "home")
    lines = [json.dumps({"id": n, "s": s, "t": t}) for n, (s, t) in enumerate(rows)]
    stream.driver.absorb("texts", [source_file(write_lines(place / "texts" / "a.json", lines))], ends=True)
    read = ROUND.split(";")[1].replace("${DATA}", str(place)) + ";"
    found = run_bounded(spark, plan_query(read, "SELECT * FROM written", place), "batch")
    by_id = sorted((json.loads(line) for line in found), key=lambda row: row["id"])
    assert [(row["s"], row["t"]) for row in by_id] == rows
