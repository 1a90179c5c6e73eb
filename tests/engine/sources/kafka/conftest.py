"""One broker for the tests of a process, and topics of each test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from airflow_nrt.basics.jars import fetched
from tests.servers.installed import missing
from tests.servers.kafka import Broker, Topics


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
