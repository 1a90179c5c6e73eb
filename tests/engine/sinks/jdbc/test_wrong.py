"""What is wrong with a table or its database: said at once, with the way out, before anything is written."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.demo.servers.ports import free_port
from airflow_nrt.engine.batch.analysis import analyse
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.sinks.jdbc.jdbc import Jdbc
from airflow_nrt.home.notes.left_out import left_out_rows
from airflow_nrt.model.plan import Plan
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, arrive, report
from tests.servers.fixtures import Server
from tests.servers.mariadb import MariaDb
from tests.servers.postgresql import PostgreSql


def said(spark, place: Path, url: str, table: str, **options: str) -> str:
    """What a driver says before it begins, and `check --deep` before that."""
    plan = report(place, url, table, **options)
    with pytest.raises(NrtError) as found:
        analyse(spark, plan)
    assert not (place / "home").exists()
    told = driver_said(spark, plan, place)
    # MariaDB numbers connections.
    assert re.sub(r"conn=\d+", "", str(found.value)) == re.sub(r"conn=\d+", "", told)
    return told


def driver_said(spark, plan: Plan, place: Path) -> str:
    begun = time.monotonic()
    with pytest.raises(NrtError) as wrong:
        Stream(spark, plan, place / "home")
    assert time.monotonic() - begun < 12
    return str(wrong.value)


def test_nobody_listens(spark, server: Server, tmp_path: Path) -> None:
    url = server.url.replace(str(server.port), str(free_port()))
    told = said(spark, tmp_path, url, "curve")
    assert told.startswith(f"table 'curve': no database answers at {url}: start it, or correct 'url' (")


def test_no_such_host(spark, server: Server, tmp_path: Path) -> None:
    told = said(spark, tmp_path, server.url.replace("127.0.0.1", "nowhere.invalid"), "curve")
    assert "no database answers at" in told


def test_no_such_database(spark, server: Server, tmp_path: Path) -> None:
    told = said(spark, tmp_path, server.url.replace("/app", "/appp"), "curve")
    assert "appp" in told and told.endswith("create the database, grant it, or correct 'url'")


def test_a_wrong_password(spark, mariadb: MariaDb, tmp_path: Path) -> None:
    told = said(spark, tmp_path, mariadb.url, "curve", password="wrong")
    assert "refuses the login" in told and told.endswith("Correct 'username' and 'password'") and "wrong" not in told


def test_no_such_table(spark, server: Server, tmp_path: Path) -> None:
    told = said(spark, tmp_path, server.url, "missing", sink_create__table="false")
    assert told.startswith(
        "table 'curve': there is no table missing in the database: create it, or set 'sink.create-tabl"
    )
    assert "PRIMARY KEY" in told and "CREATE INDEX" in told


def test_no_such_column(spark, server: Server, tmp_path: Path) -> None:
    server.query("CREATE TABLE narrow (shop INT, window_end TIMESTAMP, n BIGINT)")
    told = said(spark, tmp_path, server.url, "narrow")
    assert told.endswith("table narrow of the database has no column 'gmv'; it has shop, window_end, n")


def test_no_key(spark, server: Server, tmp_path: Path) -> None:
    server.query("CREATE TABLE keyless (shop INT, window_end TIMESTAMP, n BIGINT, gmv DECIMAL(20, 2))")
    told = said(spark, tmp_path, server.url, "keyless")
    assert "no primary key or unique index of exactly (shop, window_end), by which rows are replaced" in told


def test_no_privilege(spark, postgresql: PostgreSql, tmp_path: Path) -> None:
    postgresql.query("CREATE ROLE reader LOGIN; CREATE TABLE guarded (shop INT)")
    query = "SELECT shop FROM orders"
    plan = report(tmp_path, postgresql.url, "guarded", username="reader", columns="shop INT", query=query)
    told = driver_said(spark, plan, tmp_path)
    assert "user 'reader' may not do that: ERROR: permission denied" in told and told.endswith("looked up needs SELECT")


def test_a_table_of_another_home(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "taken")
    one = Stream(spark, plan, tmp_path / "one")
    with pytest.raises(InputError, match="another home publishes to table taken"):
        Stream(spark, plan, tmp_path / "two")
    Jdbc().release(spark, one.home, plan.inserts[0])
    two = Stream(spark, plan, tmp_path / "two")
    Jdbc().release(spark, one.home, plan.inserts[0])
    assert server.query("SELECT home FROM nrt_owners WHERE name LIKE '%taken'") == [[two.home.identity().id]]


@pytest.mark.process
def test_a_home_that_is_forgotten(spark, postgresql: PostgreSql, tmp_path: Path) -> None:
    plan = report(tmp_path, postgresql.url, "forgotten")
    one = Stream(spark, plan, tmp_path / "one")
    command = [sys.executable, "-m", "airflow_nrt.cli.main", "forget", "--home", str(one.home.path), "--yes"]
    said = subprocess.run([*command, "--master", "local[1]"], capture_output=True, text=True, check=True).stdout
    assert "table       curve: of a server\n" in said and "It is removed" in said
    assert not one.home.path.exists()
    two = Stream(spark, plan, tmp_path / "two")
    assert postgresql.query("SELECT home FROM nrt_owners WHERE name LIKE '%forgotten'") == [[two.home.identity().id]]


def test_a_value_that_does_not_fit(spark, server: Server, tmp_path: Path) -> None:
    server.query(
        "CREATE TABLE small (shop INT, window_end TIMESTAMP, n BIGINT, gmv DECIMAL(3, 2), "
        "PRIMARY KEY (shop, window_end))"
    )
    stream = Stream(spark, report(tmp_path, server.url, "small"), tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 500, "10:01:00"), (2, 5, "10:01:00"), (1, 1, "10:12:00")), source="orders")
    assert server.query("SELECT shop, gmv FROM small") == [["2", "5.00"]]
    ((reason, one),) = left_out_rows(stream.home)["curve"].items()
    assert "column gmv of table small" in reason and (one.count, '"shop":1' in one.last) == (1, True)


def test_a_row_that_violates_a_constraint(spark, server: Server, tmp_path: Path) -> None:
    server.query(
        "CREATE TABLE strict (shop INT, window_end TIMESTAMP, n BIGINT, gmv DECIMAL(20, 2), "
        "PRIMARY KEY (shop, window_end), CONSTRAINT positive CHECK (gmv > 0))"
    )
    stream = Stream(spark, report(tmp_path, server.url, "strict"), tmp_path / "home")
    with pytest.raises(InputError) as wrong:
        stream.absorb(arrive(tmp_path, "0", (7, -5, "10:01:00"), (1, 1, "10:12:00")), source="orders")
    assert "violates a constraint of the database" in str(wrong.value) and "positive" in str(wrong.value)


def test_a_database_that_goes_away_and_comes_back(spark, postgresql: PostgreSql, tmp_path: Path) -> None:
    own = PostgreSql(tmp_path / "own").start()
    plan = report(tmp_path, own.url, "curve")
    stream = Stream(spark, plan, tmp_path / "home")
    own.stop("immediate")
    with pytest.raises(UnreachableError, match="no database answers at"):
        stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 1, "10:12:00")), source="orders")
    own.start()
    try:
        # The log has decided. A driver publishes it once it can.
        Stream(spark, plan, tmp_path / "home")
        assert own.query("SELECT shop, n FROM curve") == [["1", "1"]]
    finally:
        own.stop()


OF_HOURS = """SELECT shop, n FROM (SELECT shop, window_end, COUNT(*) AS n FROM
TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end)"""
OF_SESSIONS = """SELECT shop, window_end, COUNT(*), CAST(SUM(price) AS DECIMAL(20, 2))
FROM TABLE(SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '5' MINUTES))
GROUP BY shop, window_start, window_end"""
KEYLESS = "shop INT, window_end TIMESTAMP(3), n BIGINT, gmv DECIMAL(20, 2)"
PLANNED = {
    "no window_end": (
        {"columns": "shop INT, n BIGINT", "query": OF_HOURS},
        "the table needs a column with their window_end: SELECT it",
    ),
    "a key without it": (
        {"columns": CURVE.replace("(shop, window_end)", "(shop)")},
        "PRIMARY KEY (shop, window_end) NOT ENFORCED",
    ),
    "a url that is none": (
        {"url": "postgresql://host/db"},
        "is not of the form 'jdbc:postgresql://host:5432/database'",
    ),
    "a misspelt option": ({"usernam": "x"}, "there is no option 'usernam'; did you mean 'username'?"),
    "sessions": ({"query": OF_SESSIONS}, "in a database"),
    "two inserts": (
        {"columns": KEYLESS, "query": f"{COUNTS}; INSERT INTO curve {COUNTS}"},
        "another INSERT writes into table curve of jdbc:",
    ),
}


@pytest.mark.parametrize("name", PLANNED)
def test_before_it_runs(tmp_path: Path, name: str) -> None:
    changed, expected = PLANNED[name]
    with pytest.raises(InputError) as wrong:
        report(tmp_path, **{"url": "jdbc:postgresql://host/db", "table": "curve", **changed})
    assert expected in str(wrong.value)


def test_an_older_copy_of_the_home(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "copied")
    first = arrive(tmp_path, "1", (1, 5, "10:01:00"), (1, 7, "10:12:00"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(first, source="orders")
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    stream.absorb(arrive(tmp_path, "2", (1, 5, "10:23:00")), source="orders")
    shutil.rmtree(tmp_path / "home")
    shutil.move(tmp_path / "copy", tmp_path / "home")
    told = driver_said(spark, plan, tmp_path)
    assert "the home is an older copy of itself. Use a new home and a new table, or restore the newer home" in told
