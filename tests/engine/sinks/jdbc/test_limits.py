"""Rows that a database can't take: rejected, counted and named before the log decides, and the others go on."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.publish.setting_aside import set_aside
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.usecases.late import late
from airflow_nrt.usecases.requests.late import LateRequest
from tests.engine.reports import Stream, write_lines
from tests.servers.fixtures import Server
from tests.servers.postgresql import PostgreSql

ROWS = """
CREATE TABLE rows_in (k STRING, n BIGINT, d DECIMAL(20, 2), x DOUBLE, at TIMESTAMP(3), s STRING)
WITH ('connector' = 'filesystem', 'path' = 'in', 'format' = 'json', 'source.monitor-interval' = '100 ms');
CREATE TABLE bounded (k STRING, n BIGINT, d DECIMAL(20, 2), x DOUBLE, at TIMESTAMP(3), s STRING,
  PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = '{table}', 'username' = 'app', 'password' = 'secret');
"""
COPIED = "INSERT INTO bounded SELECT k, n, d, x, at, s FROM rows_in;"
OWN = "n INT, d DECIMAL(6, 1) NOT NULL, x DOUBLE PRECISION, at TIMESTAMP{null}, s VARCHAR(5){charset}, PRIMARY KEY (k)"
FITS = {"n": 1, "d": "1.25", "x": 1.5, "at": "2024-06-18 10:00:00", "s": "abc"}


def report(server: Server, place: Path, table: str, insert: str) -> Plan:
    return plan_script(
        "SET 'table.exec.state.unbounded' = 'allow';" + ROWS.format(url=server.url, table=table) + insert,
        {},
        "bounded",
        place,
    )


def test_what_does_not_fit_is_rejected_and_the_rest_is_proven(spark, server: Server, tmp_path: Path) -> None:
    is_postgresql = isinstance(server, PostgreSql)
    own = OWN.format(null="" if is_postgresql else " NULL", charset="" if is_postgresql else " CHARACTER SET latin1")
    server.query(f"CREATE TABLE bounds (k {'TEXT' if is_postgresql else 'VARCHAR(9)'}, {own})")
    key = "".join(random.Random(1).choices("abcdefghij", k=20_000))
    wrong = {
        "n": 2**31,
        "d": "99999.95",
        "k": key,
        "s": "abcdef",
        "at": "0000-01-01 00:00:00" if is_postgresql else "2039-01-01 00:00:00",
    }
    rows = [{"k": "fits", **FITS}, {"k": "edge", **FITS, "d": "99999.94", "n": -(2**31), "s": "abcde  ", "at": None}]
    rows += [{"k": f"no {name}", **FITS, name: value} for name, value in wrong.items()]
    rows.append({"k": "no null", **FITS, "d": None})
    if not is_postgresql:
        rows.append({"k": "no china", **FITS, "s": "中"})
    plan = report(server, tmp_path, "bounds", COPIED)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_lines(tmp_path / "in" / "0.json", [json.dumps(row) for row in rows]), source="rows_in")
    assert server.query("SELECT k FROM bounds ORDER BY k") == [["edge"], ["fits"]]
    (made,) = stream.entries[-1].published
    assert (made.rows, made.refused) == (2, len(rows) - 2)
    found = late(LateRequest(tmp_path / "home"))
    assert sum(found.rejected.values()) == len(rows) - 2
    names = {row["row"]["k"][:20]: row["reason"] for row in found.rows}
    assert (
        names["no n"]
        == f"column 'n' ({'int4' if is_postgresql else 'int'}) takes numbers from -2147483648 to 2147483647"
    )
    assert "has room for 5 characters" in names["no s"] and "is NOT NULL" in names["no null"]
    assert any("20000 characters" in row["row"]["k"] for row in found.rows)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems, verdict.inserts[0].bad


def test_a_home_that_is_wedged_goes_on_without_the_row(spark, server: Server, tmp_path: Path) -> None:
    """No limit says that the table has a constraint of its own."""
    key, null = ("TEXT", "") if isinstance(server, PostgreSql) else ("VARCHAR(9)", " NULL")
    kinds = f"n INT CHECK (n < 100), d DECIMAL(20, 2), x DOUBLE PRECISION, at TIMESTAMP{null}, s TEXT"
    server.query(f"CREATE TABLE wedged (k {key} PRIMARY KEY, {kinds})")
    plan = report(server, tmp_path, "wedged", COPIED)
    stream = Stream(spark, plan, tmp_path / "home")
    rows = [{"k": name, **FITS, "n": n} for name, n in (("a", 1), ("b", 500), ("c", 2), ("d", 700), ("e", 3))]
    first = write_lines(tmp_path / "in" / "0.json", [json.dumps(row) for row in rows])
    with pytest.raises(InputError, match="violates a constraint"):
        stream.absorb(first, source="rows_in")
    assert server.query("SELECT k FROM wedged") == []
    found = list(set_aside(spark, plan, stream.home))
    assert [(one.insert, one.row["k"], one.row["n"]) for one in found] == [
        ("bounded", "b", "500"),
        ("bounded", "d", "700"),
    ]
    assert all(one.entry == stream.entries[-1].n and "constraint" in one.reason for one in found)
    again = Stream(spark, plan, tmp_path / "home")
    more = write_lines(tmp_path / "in" / "1.json", [json.dumps({"k": "f", **FITS})])
    again.absorb(more, source="rows_in")
    assert [row[0] for row in server.query("SELECT k FROM wedged ORDER BY k")] == ["a", "c", "e", "f"]
    assert [row["row"]["k"] for row in late(LateRequest(tmp_path / "home")).rows] == ["b", "d"]
    verdict = verify(spark, plan, again.home)
    assert verdict.is_proven and not verdict.problems, verdict.inserts[0].bad
    assert list(set_aside(spark, plan, again.home)) == []


def test_a_row_that_changes_into_one_that_does_not_fit_is_gone(spark, postgresql: PostgreSql, tmp_path: Path) -> None:
    """The table would have an old value otherwise, which nothing computes any more."""
    postgresql.query("CREATE TABLE sums (k TEXT PRIMARY KEY, n INT, d INT, x REAL, at TIMESTAMP, s TEXT)")
    summed = "INSERT INTO bounded (k, n) SELECT k, SUM(n) FROM rows_in GROUP BY k;"
    script = ROWS.replace(
        "d DECIMAL(20, 2), x DOUBLE, at TIMESTAMP(3), s STRING,\n", "d INT, x FLOAT, at TIMESTAMP(3), s STRING,\n"
    )
    plan = plan_script(
        "SET 'table.exec.state.unbounded' = 'allow';" + script.format(url=postgresql.url, table="sums") + summed,
        {},
        "bounded",
        tmp_path,
    )
    stream = Stream(spark, plan, tmp_path / "home")
    for n, batch in enumerate(([("a", 1), ("b", 2)], [("a", 2**31)], [("a", -(2**31)), ("b", 1)])):
        lines = [json.dumps({"k": k, **FITS, "n": value}) for k, value in batch]
        stream.absorb(write_lines(tmp_path / "in" / f"{n}.json", lines), source="rows_in")
        if n == 1:
            assert postgresql.query("SELECT k, n FROM sums ORDER BY k") == [["b", "2"]]
    assert postgresql.query("SELECT k, n FROM sums ORDER BY k") == [["a", "1"], ["b", "3"]]
    assert verify(spark, plan, stream.home).is_proven
