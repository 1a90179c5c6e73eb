"""Sources without new rows beside others, in reports of several sources: with METADATA columns, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.engine.windows.no_rows import no_rows
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import Stream, write_lines

OF_FILES = "`name` STRING METADATA FROM 'file.name', at TIMESTAMP_LTZ(3) METADATA FROM 'file.modification-time'"
OF_TOPICS = """part INT METADATA FROM 'partition', `offset` BIGINT METADATA, topic STRING METADATA,
at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', kind STRING METADATA FROM 'timestamp-type',
headers MAP<STRING, BYTES> METADATA"""
REPORT = """
CREATE TABLE out (k STRING, name STRING, other STRING)
WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'debezium-json');
INSERT INTO out SELECT a.k, a.name, b.name FROM a JOIN b
ON a.twice = b.twice AND a.at <= b.at + INTERVAL '1' DAY;"""
OF_ONE_TOPIC = """
CREATE TABLE out (k STRING, n BIGINT) WITH ('connector' = 'print');
INSERT INTO out SELECT topic, `offset` + part FROM t WHERE kind <> k;"""


def table(name: str, metadata: str, options: str) -> str:
    return (
        f"CREATE TABLE {name} (k STRING, ts TIMESTAMP(3), {metadata}, twice AS concat(k, k), "
        f"WATERMARK FOR ts AS ts) WITH ({options});"
    )


def test_two_sources_with_metadata(spark, tmp_path: Path) -> None:
    tables = "".join(
        table(name, OF_FILES, f"'connector' = 'filesystem', 'path' = '{name}', 'format' = 'csv'") for name in "ab"
    )
    plan = plan_script(f"{tables}{REPORT}", {}, "r", tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    for name in "ab":
        stream.absorb(write_lines(tmp_path / name / f"{name}1.csv", ["x,2024-06-18 10:00:00"]), source=name)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.equal == 1, verdict


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_topic_without_records_has_the_columns_of_its_table(spark, tmp_path: Path, form: str) -> None:
    options = (
        "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:1', "
        f"'scan.startup.mode' = 'earliest-offset', 'format' = '{form}'"
    )
    plan = plan_script(table("t", OF_TOPICS, options) + OF_ONE_TOPIC, {}, "r", tmp_path)
    (source,) = plan.sources
    assert {"part", "offset", "kind", "topic", "k"} <= {*no_rows(spark, source).columns}
