"""Changes are written in the order in which they happened: of a key the old row goes before the new one comes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.sinks import sink_of
from tests.engine.reports import events_table, plan_of

SINKS = {
    "print": "'connector' = 'print'",
    "debezium": "'connector' = 'filesystem', 'path' = '${DATA}/told', 'format' = 'debezium-json'",
}
CHANGES = [
    # The value, the operation, the key, and the log entry after which it happened.
    (22, "+U", "b", 7),
    (21, "-U", "b", 7),
    (10, "+I", "a", 7),
    (32, "+I", "c", 7),
    (31, "-D", "c", 7),
    (23, "-D", "b", 8),
    (40, "+I", "z", 6),
]
HAPPENED = [40, 10, 21, 22, 31, 32, 23]


@pytest.mark.parametrize("sink", SINKS)
def test_what_happened_first_is_written_first(spark, tmp_path: Path, sink: str) -> None:
    told = f"CREATE TABLE told (n BIGINT) WITH ({SINKS[sink]});"
    query = "INSERT INTO told SELECT COUNT(*) FROM events GROUP BY shop;"
    (insert,) = plan_of(tmp_path, events_table(), told, query).inserts
    changes = spark.createDataFrame(CHANGES, "n BIGINT, _nrt_op STRING, _nrt_key STRING, _nrt_entry BIGINT")
    (staged,) = sink_of(insert).stage(changes.coalesce(1), insert, tmp_path / "staged" / "1-1", "changed", 1)
    lines = (tmp_path / staged.staged).read_text(encoding="utf-8").splitlines()
    assert [value(line) for line in lines] == HAPPENED


def value(line: str) -> int:
    """Of `+I[40]`, or of a change in Debezium's JSON."""
    if not line.startswith("{"):
        return int(line[3:-1])
    change = json.loads(line)
    return int((change["after"] or change["before"])["n"])
