"""A database that is locked, slow, or refuses the login holds back nothing but its own results."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.failures.servers import LockedError, OutdatedLoginError, RefusedError
from airflow_nrt.engine.publish import owing
from airflow_nrt.engine.publish.owing import Owing
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import FAILED
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.driver_threads import Driver
from tests.engine.reports import HOUR, Stream, rows_of
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, ORDERS, arrive, report
from tests.servers.fixtures import Server
from tests.servers.locks import locked_rows, locked_table
from tests.servers.postgresql import PostgreSql

SHORT = "'connection.lock-timeout' = '1 s', 'connection.statement-timeout' = '2 s'"
PENDING = (1, 1, "10:12:00")
"""An order that ends the first window."""


def two_sinks(place: Path, server: Server, table: str, setting: str = "") -> Plan:
    return plan_script(
        f"""{ORDERS}{setting}
        CREATE TABLE curve ({CURVE}) WITH ('connector' = 'jdbc', 'url' = '{server.url}', 'table-name' = '{table}',
          'username' = 'app', 'password' = 'secret', 'sink.create-table' = 'true', {SHORT});
        CREATE TABLE files ({CURVE}) WITH ('connector' = 'filesystem', 'path' = 'files', 'format' = 'json');
        INSERT INTO curve {COUNTS};
        INSERT INTO files {COUNTS};""",
        {},
        "orders_curve",
        place,
    )


@contextmanager
def frozen(spark: SparkSession, server: PostgreSql, table: str) -> Iterator[None]:
    """Its processes get no time: connections are made, and nothing answers."""
    assert server.pid is not None
    # The first one, stopped, neither makes others nor forgets those that end.
    os.kill(server.pid, signal.SIGSTOP)
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    stopped = [*map(int, children), server.pid]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def of_windows(server: Server, table: str) -> list[list[str]]:
    return server.query(f"SELECT shop, n FROM {table} ORDER BY window_end, shop")


def held_up(
    spark: SparkSession,
    place: Path,
    server: Server,
    table: str,
    hold: Callable[[SparkSession, Server, str], AbstractContextManager[None]],
    said: str,
) -> None:
    """Files get their windows while the table is held; the table gets its own afterwards."""
    plan = two_sinks(place, server, table)
    arrive(place, "0", (1, 5, "10:01:00"), PENDING)
    home = Home.create(place / "home", plan)
    driver = Driver(spark, plan, home)
    driver.until(lambda: len(rows_of(place / "files", "json")) == 1 and of_windows(server, table) == [["1", "1"]])
    with hold(spark, server, table):
        arrive(place, "1", (1, 2, "10:22:00"), (2, 2, "10:23:00"))
        driver.until(lambda: len(rows_of(place / "files", "json")) == 2 and bool(driver.beat().owed))
        assert said in str(driver.beat().error)
        # Reading goes on.
        arrive(place, "2", (1, 2, "10:31:30"))
        driver.until(lambda: len(rows_of(place / "files", "json")) == 4)
        assert set(driver.beat().owed) == {"curve"}
        driver.until(lambda: [one.table for one in read_status(home).waiting] == ["curve"])
        status = read_status(home)
        assert status.windows == 2 < status.decided_windows
    driver.until(lambda: not driver.beat().owed and driver.beat().error is None)
    driver.end()
    assert of_windows(server, table) == [["1", "1"], ["1", "2"], ["1", "3"], ["2", "1"]]
    assert verify(spark, plan, home).is_proven


@pytest.mark.server
def test_a_table_that_is_locked(spark: SparkSession, server: Server, tmp_path: Path) -> None:
    held_up(spark, tmp_path, server, "locked_table", locked_table, "holds a lock on it")


@pytest.mark.server
def test_a_database_that_hangs(spark: SparkSession, tmp_path: Path) -> None:
    server = PostgreSql(tmp_path / "postgresql").start()
    try:
        held_up(spark, tmp_path, server, "hanging", frozen, "no database answers at")
    finally:
        server.stop("immediate")


@pytest.mark.server
def test_a_statement_that_takes_too_long(spark: SparkSession, postgresql: PostgreSql, tmp_path: Path) -> None:
    plan = report(tmp_path, postgresql.url, "slow", connection_statement__timeout="1 s", connection_lock__timeout="1 s")
    stream = Stream(spark, plan, tmp_path / "home")
    postgresql.query(
        "CREATE FUNCTION drowse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$; "
        "CREATE TRIGGER drowse BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION drowse()"
    )
    begun = time.monotonic()
    with pytest.raises(Exception, match=r"does not answer in time: .*'connection.statement-timeout'"):
        stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), PENDING), source="orders")
    assert time.monotonic() - begun < 30


@pytest.mark.server
def test_who_can_not_owe_waits_for_a_lock_several_times(
    spark: SparkSession, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owing, "LOCKED_TIMES", 2)
    plan = report(tmp_path, server.url, "patient", connection_lock__timeout="1 s")
    stream = Stream(spark, plan, tmp_path / "home")
    begun = time.monotonic()
    with locked_rows(spark, server, "nrt_owners"), pytest.raises(LockedError, match="holds a lock on it"):
        stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), PENDING), source="orders")
    assert time.monotonic() - begun > 2


@pytest.fixture(params=["postgresql", "mariadb"])
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server that asks for a password."""
    if request.param == "mariadb":
        yield request.getfixturevalue("mariadb")
        return
    server = PostgreSql(tmp_path / "postgresql", password="secret").start()
    yield server
    server.stop("immediate")


@contextmanager
def other_password(spark: SparkSession, server: Server, table: str) -> Iterator[None]:
    change_password(server, "other")
    try:
        yield
    finally:
        change_password(server, "secret")


def change_password(server: Server, password: str) -> None:
    if isinstance(server, PostgreSql):
        server.query(f"ALTER ROLE app PASSWORD '{password}'")
        server.password = password
    else:
        server.query(f"ALTER USER app IDENTIFIED BY '{password}'", "mysql")


@pytest.mark.server
def test_a_password_that_is_changed(spark: SparkSession, guarded: Server, tmp_path: Path) -> None:
    held_up(spark, tmp_path, guarded, "changed_password", other_password, "refuses the login")


@pytest.mark.server
def test_a_run_does_not_begin_with_a_wrong_password(spark: SparkSession, guarded: Server, tmp_path: Path) -> None:
    plan = two_sinks(tmp_path, guarded, "wrong_password")
    arrive(tmp_path, "0", (1, 5, "10:01:00"), PENDING)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    with other_password(spark, guarded, "wrong_password"), pytest.raises(InputError, match="refuses the login"):
        Runner(spark, plan, home, available_now=True).run()


@pytest.mark.server
def test_a_login_that_stays_refused_ends_the_driver(spark: SparkSession, guarded: Server, tmp_path: Path) -> None:
    """Another driver may be given the new password, so the end is not final."""
    plan = two_sinks(tmp_path, guarded, "outdated", "SET 'sink.refused-timeout' = '2 s';")
    arrive(tmp_path, "0", (1, 5, "10:01:00"), PENDING)
    home = Home.create(tmp_path / "home", plan)
    driver = Driver(spark, plan, home)
    driver.until(lambda: len(rows_of(tmp_path / "files", "json")) == 1)
    driver.until(lambda: of_windows(guarded, "outdated") == [["1", "1"]])
    with other_password(spark, guarded, "outdated"):
        arrive(tmp_path, "1", (1, 2, "10:22:00"))
        driver.thread.join(300)
        assert isinstance(driver.failure, OutdatedLoginError) and "'sink.refused-timeout'" in str(driver.failure)
        beat = driver.beat()
        assert beat.state == FAILED and not beat.final
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert of_windows(guarded, "outdated") == [["1", "1"], ["1", "2"]]


def test_a_slow_sink_has_half_of_the_time(tmp_path: Path) -> None:
    """Also beside one that refuses at once."""
    plan = report(tmp_path, "jdbc:postgresql://localhost/app", "curve")
    (insert,), now = plan.inserts, 0.0
    owed = Owing(lambda: now)

    def locked() -> None:
        nonlocal now
        now += 50
        raise LockedError("it is locked")

    assert not owed.attempt(insert, Entry(1, "lease", 1, 0, "", None), locked)  # type: ignore[arg-type]
    owed.hold(replace(insert, name="quick"), RefusedError("no"))
    now += 49
    assert insert.name not in [name for name, _ in owed.due()]
    now += 1
    assert insert.name in [name for name, _ in owed.due()]


def test_a_refusal_that_ends_begins_anew(tmp_path: Path) -> None:
    plan = report(tmp_path, "jdbc:postgresql://localhost/app", "curve")
    (insert,), now = plan.inserts, 0.0
    owed = Owing(lambda: now, most_refused=HOUR)
    for failure in (RefusedError("no"), LockedError("it is locked"), RefusedError("no")):
        owed.hold(insert, failure)
        now += 3000
    assert "the driver ends in 10 min" in str(owed)
    with pytest.raises(OutdatedLoginError, match="1 hour"):
        now += 600
        owed.hold(insert, RefusedError("no"))
