"""Local times that a zone shows twice, or never, where Flink reads texts as SimpleDateFormat does."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import write_lines

TEXTS = {
    "Europe/Berlin": ["2024-10-27 01:59:59", "2024-10-27 02:00:00", "2024-10-27 02:59:59", "2024-10-27 03:00:00",
                      "2024-03-31 01:59:59", "2024-03-31 02:30:00", "2024-03-31 03:00:00", "2024-07-01 12:00:00"],
    "America/New_York": ["2024-11-03 01:30:00", "2024-11-03 00:30:00", "2024-03-10 02:30:00"],
    "Australia/Lord_Howe": ["2024-04-07 01:29:59", "2024-04-07 01:45:00", "2024-04-07 02:00:00", "2024-10-06 02:15:00"],
    "Asia/Shanghai": ["2024-10-27 02:30:00"],
}  # fmt: skip
"""In Lord Howe the clock is changed by half an hour."""


def second_of(text: str, zone: str) -> int:
    """The later instant of a time that is shown twice; one that is skipped by the offset before."""
    # Python has both orders: fold 1 is the later instant of two, and of a skipped time the one by the offset after it.
    earlier, later = (datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1))
    return int(max(earlier.timestamp(), later.timestamp()))


@pytest.mark.parametrize("mode", ["stream", "batch"])
@pytest.mark.parametrize("zone", TEXTS)
def test_texts_of_any_form(spark, tmp_path: Path, zone: str, mode: str) -> None:
    texts = TEXTS[zone]
    write_lines(tmp_path / "t" / "1.json", [json.dumps({"n": n, "t": text}) for n, text in enumerate(texts)])
    ddl = f"""SET 'table.local-time-zone' = '{zone}';
        CREATE TABLE t (n INT, t STRING) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');"""
    query = f"""SELECT n, UNIX_TIMESTAMP(t) AS a, UNIX_TIMESTAMP(t, 'yyyy-MM-dd HH:mm:ss') AS b,
        UNIX_TIMESTAMP(REPLACE(t, '-', '.'), 'yyyy.MM.dd HH:mm:ss') AS c,
        CONVERT_TZ(t, '{zone}', 'UTC') AS e,
        UNIX_TIMESTAMP('nope') AS f FROM t"""
    lines = run_bounded(spark, plan_query(ddl, query, tmp_path), mode)
    rows = {row["n"]: row for row in map(json.loads, lines)}
    for n, text in enumerate(texts):
        seconds = second_of(text, zone)
        assert (rows[n]["a"], rows[n]["b"], rows[n]["c"]) == (seconds, seconds, seconds), text
        assert rows[n]["e"] == datetime.fromtimestamp(seconds, ZoneInfo("UTC")).strftime("%Y-%m-%d %H:%M:%S"), text
        assert rows[n]["f"] == -(2**63)
