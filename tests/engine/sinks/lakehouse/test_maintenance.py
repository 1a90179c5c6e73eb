"""Tables that are compacted, and lose their old versions, beside a driver that publishes into them."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.durations import HOUR
from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.lakehouse.ownership import writer_of
from airflow_nrt.engine.table_maintenance import maintain
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, ORDERS, arrive
from tests.engine.sinks.lakehouse.reports import Format, curve, table_of


@pytest.mark.thorough
def test_a_table_is_compacted_beside_a_driver(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "kept")
    stream = Stream(spark, plan, tmp_path / "home")
    for n in range(6):
        at = f"10:{10 * n + 1:02}:00"
        stream.absorb(arrive(tmp_path, str(n), (1, 5, at), (2, 5, at)), source="orders")
    before, table = curve(spark, plan), table_of(spark, plan)
    mark = table.published(writer_of(stream.home, table))
    # The hardest case: no older version is left.
    (insert,) = plan.inserts
    done = sink_of(insert).maintain(spark, stream.home, insert, now_ms())
    assert done is not None and done.files_before >= 5 and done.files_after < done.files_before
    assert curve(spark, plan) == before and table.published(writer_of(stream.home, table)) == mark
    stream.absorb(arrive(tmp_path, "last", (1, 5, "11:01:00"), (2, 5, "11:02:00")), source="orders")
    again = Stream(spark, plan, tmp_path / "home")
    assert len(curve(spark, plan)) == len(before) + 2
    assert verify(spark, plan, again.home).is_proven


def test_a_table_of_another_home(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "taken")
    Stream(spark, plan, tmp_path / "one")
    with pytest.raises(InputError, match="another home publishes to table"):
        maintain(spark, plan, Home.create(tmp_path / "two", plan), HOUR)


def test_a_history_that_is_too_short(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "short")
    with pytest.raises(InputError, match=r"a history of .* is shorter .*: keep at least 1 h"):
        maintain(spark, plan, Home.create(tmp_path / "home", plan), HOUR // 2)


def test_a_report_without_such_tables(spark, tmp_path: Path) -> None:
    into_files = "'connector' = 'filesystem', 'path' = 'curve', 'format' = 'json'"
    script = f"{ORDERS} CREATE TABLE curve ({CURVE}) WITH ({into_files}); INSERT INTO curve {COUNTS};"
    plan = plan_script(script, {}, "files", tmp_path)
    assert maintain(spark, plan, Home.create(tmp_path / "home", plan), HOUR) == {}
