"""A living home that gets a table of rejected rows."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import write_lines


def report(place: Path, sink: str, into: str = ", 'source.rejected.table' = 'lost'") -> Plan:
    script = f"""CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem',
        'path' = 't', 'format' = 'csv', 'source.monitor-interval' = '1 s'{into});
        CREATE TABLE lost (place STRING, reason STRING, line STRING, rejected_at TIMESTAMP_LTZ(3))
        WITH ({sink});
        CREATE TABLE sums (e TIMESTAMP(3), ids BIGINT)
        WITH ('connector' = 'filesystem', 'path' = 'sums', 'format' = 'json');
        INSERT INTO sums SELECT window_end, SUM(id)
        FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
        GROUP BY window_start, window_end;"""
    return plan_script(script, {}, "report", place)


def run_and_verify(spark, place: Path, sink: str) -> Plan:
    """Three drivers, of which the last two have the table; `b` and `c` are rejected then."""
    sink = f"{sink}, 'sink.create-table' = 'true'"
    plan = report(place, sink)
    first, last = ["1,2024-06-18 10:01:00", "a"], ["c", "2,2024-06-18 10:30:00"]
    for n, (one, lines) in enumerate([(report(place, sink, ""), first), (plan, ["b"]), (plan, last)]):
        write_lines(place / "t" / f"{n}.csv", lines)
        home = Home.create(place / "home", one)
        Runner(spark, one, home, available_now=True).run()
    assert verify(spark, plan, home).is_proven
    return plan
