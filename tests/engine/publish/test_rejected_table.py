"""Rejected rows go into a table of the report, too, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.fault_points import watch_points
from tests.engine.reports import rows_of, write_lines

COLUMNS = "why STRING, source STRING NOT NULL, reason STRING, field STRING, place STRING, line STRING, \
rejected_at TIMESTAMP_LTZ(3)"


def report(place: Path, into: str = "", columns: str = COLUMNS, sink: str = "") -> Plan:
    sink = sink or f"'connector' = 'filesystem', 'path' = '{place}/lost', 'format' = 'json'"
    return plan_script(
        f"""CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem',
        'path' = '{place}/t', 'format' = 'csv', 'source.monitor-interval' = '1 s',
        'source.ignore-corrupt' = 'true'{into});
        CREATE TABLE lost ({columns}) WITH ({sink});
        CREATE TABLE told (e TIMESTAMP(3), n BIGINT, ids BIGINT)
        WITH ('connector' = 'filesystem', 'path' = '{place}/told', 'format' = 'json');
        INSERT INTO told SELECT window_end, COUNT(*), SUM(id) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts),
        INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;""",
        {},
        "report",
        place,
    )


INTO = ", 'source.rejected.table' = 'lost'"


def run(spark, plan: Plan, place: Path, name: str, *lines: str) -> Home:
    write_lines(place / "t" / name, lines)
    home = Home.create(place / "home", plan)
    Runner(spark, plan, home, available_now=True).run()
    return home


def test_a_row_and_a_file(spark, tmp_path: Path) -> None:
    """A table that the report gets later has what is rejected from then on; one that is gone gets no more."""
    run(spark, report(tmp_path), tmp_path, "1.csv", "1,2024-06-18 10:01:00", "before,2024-06-18 10:02:00")
    with_table = report(tmp_path, INTO)
    home = run(spark, with_table, tmp_path, "2.csv", "2,2024-06-18 10:03:00", "x,2024-06-18 10:04:00")
    (tmp_path / "t" / "3.csv.gz").write_bytes(b"\x1f\x8b torn")
    run(spark, with_table, tmp_path, "4.csv", "4,2024-06-18 10:21:00")
    run(spark, report(tmp_path), tmp_path, "5.csv", "y,2024-06-18 10:22:00")
    found = sorted(rows_of(tmp_path / "lost", "json"), key=lambda row: row[2])
    assert [row[1:4] for row in found] == [("t", "malformed line", "id"), ("t", "unreadable file", None)]
    assert found[0][0].startswith("column id: 'x' is no INT") and found[0][5] == "x,2024-06-18 10:04:00"
    assert found[0][4].endswith("/2.csv") and found[1][4].endswith("/3.csv.gz")
    assert [row[1:] for row in rows_of(tmp_path / "told", "json")] == [(2, 3)]
    status = read_status(home)
    assert status.rejected == 4
    for plan in (report(tmp_path), with_table):
        assert verify(spark, plan, home).is_proven


class Died(BaseException):
    """A driver ends as a kill would end it."""


@pytest.mark.parametrize("point", ["absorb-ledger", "commit-after"])
def test_a_driver_that_dies_around_its_entry(spark, tmp_path: Path, monkeypatch, point: str) -> None:
    plan = report(tmp_path, INTO)

    def reach(reached: str) -> None:
        if reached == point:
            raise Died

    with monkeypatch.context() as patch, pytest.raises(Died):
        watch_points(patch, reach)
        run(spark, plan, tmp_path, "1.csv", "1,2024-06-18 10:01:00", "x,2024-06-18 10:02:00")
    run(spark, plan, tmp_path, "2.csv", "2,2024-06-18 10:03:00")
    assert [row[5] for row in rows_of(tmp_path / "lost", "json")] == ["x,2024-06-18 10:02:00"]


WRONG = {
    "no such table": ({"into": ", 'source.rejected.table' = 'lots'"}, "there is no table 'lots' for"),
    "one that is read": ({"into": ", 'source.rejected.table' = 't'"}, "the report reads it, too"),
    "one of an INSERT": ({"into": ", 'source.rejected.table' = 'told'"}, "an INSERT writes into it, too"),
    "another column": ({"columns": "id INT"}, "rejected rows have no column 'id': they have source, reason, field"),
    "another type": ({"columns": "why INT"}, "column 'why' is INT: declare it STRING"),
    "NOT NULL": ({"columns": "why STRING NOT NULL"}, "column 'why' is NOT NULL, and may be NULL: declare it STRING"),
    "a key": ({"columns": "place STRING, PRIMARY KEY (place) NOT ENFORCED"}, "leave the PRIMARY KEY out"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_table_that_is_refused(tmp_path: Path, name: str) -> None:
    changes, said = WRONG[name]
    with pytest.raises(InputError, match=said):
        report(tmp_path, **{"into": INTO, **changes})
