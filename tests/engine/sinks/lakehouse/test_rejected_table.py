"""A living home gets a table of rejected rows in a lakehouse: each row from then on, once."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.lakehouse.lakehouse import Lakehouse
from tests.engine.sinks.lakehouse.reports import Format
from tests.engine.sinks.rejected_tables import run_and_verify


def test_rejected_rows(spark, lake: Format, tmp_path: Path) -> None:
    plan = run_and_verify(spark, tmp_path, f"'connector' = '{lake.name}', {lake.options.format(table='lost')}")
    insert = plan.insert("lost")
    sink = sink_of(insert)
    assert isinstance(sink, Lakehouse)
    found = sink.table_of(spark, insert).rows().selectExpr("line", "reason", "rejected_at IS NOT NULL")
    assert sorted(map(tuple, found.collect())) == [("b", "malformed line", True), ("c", "malformed line", True)]
