"""Servers for the tests of a process, one of each: a plugin of the suite, because each file that imported a fixture of
the session would start a server of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from airflow_nrt.basics.jars import fetched
from tests.servers.installed import missing
from tests.servers.kafka import Broker, Topics
from tests.servers.mariadb import MariaDb
from tests.servers.mysql import MYSQLD, MySqlServer
from tests.servers.postgresql import PostgreSql
from tests.servers.registry import Registry

Server = PostgreSql | MariaDb


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    if not fetched("kafka"):
        missing("the jars of connector kafka are not here: airflow-nrt prepare kafka")
    broker = Broker(tmp_path_factory.mktemp("kafka"))
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture(scope="session")
def topics(spark, broker: Broker) -> Iterator[Topics]:
    topics = Topics(spark, broker.address)
    yield topics
    topics.close()


@pytest.fixture
def registry() -> Iterator[Registry]:
    registry = Registry()
    yield registry
    registry.stop()


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSql]:
    if not fetched("postgresql"):
        missing("the driver of PostgreSQL is not here: airflow-nrt prepare postgresql")
    server = PostgreSql(tmp_path_factory.mktemp("postgresql")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MariaDb]:
    if not fetched("mariadb"):
        missing("the driver of MariaDB is not here: airflow-nrt prepare mariadb")
    server = MariaDb(tmp_path_factory.mktemp("mariadb")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MySqlServer]:
    if MYSQLD is None:
        pytest.skip("no MySQL here: MYSQLD names none")
    if not fetched("mariadb"):
        missing("the driver of MariaDB is not here: airflow-nrt prepare mariadb")
    server = MySqlServer(tmp_path_factory.mktemp("mysql")).start()
    yield server
    server.stop()


@pytest.fixture(params=["postgresql", "mariadb", *(["mysql"] if MYSQLD else [])])
def server(request: pytest.FixtureRequest) -> Server:
    """Each of them in turn."""
    found: Server = request.getfixturevalue(request.param)
    return found
