"""A broker that refuses the login of a report that runs: its password was changed, and is given back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.basics.jars import fetched
from airflow_nrt.demo.servers.ports import free_port
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from tests.engine.driver_threads import Driver
from tests.engine.reports import rows_of
from tests.engine.sources.kafka.reports import order, report
from tests.servers.installed import missing
from tests.servers.kafka import Broker, Topics

SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required"


class GuardedBroker(Broker):
    """Its second listener wants a login, again each third second: a broker refuses two within one."""

    guarded: int

    @classmethod
    def below(cls, place: Path) -> GuardedBroker:
        port, controller, guarded = free_port(), free_port(), free_port()
        listeners = f"PLAINTEXT://127.0.0.1:{port},SASL_PLAINTEXT://127.0.0.1:{guarded}"
        made = cls(
            place,
            {
                "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
                "advertised.listeners": listeners,
                "listener.security.protocol.map": (
                    "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT"
                ),
                "sasl.enabled.mechanisms": "SCRAM-SHA-256",
                "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": f"{SCRAM};",
                "connections.max.reauth.ms": "3000",
            },
            port=port,
            controller=controller,
        )
        made.guarded = guarded
        return made


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[GuardedBroker]:
    if not fetched("kafka"):
        missing("the jars of connector kafka are not here: airflow-nrt prepare kafka")
    broker = GuardedBroker.below(tmp_path / "kafka")
    broker.start()
    yield broker
    broker.stop()


def test_a_password_that_was_changed(spark, guarded: GuardedBroker, tmp_path: Path) -> None:
    """The report waits, says why, and goes on without a pit when the login is taken again."""
    topics = Topics(spark, guarded.address)
    topics.create("guarded")
    topics.set_password("reporter", "first")
    login = {
        "properties_security_protocol": "SASL_PLAINTEXT",
        "properties_sasl_mechanism": "SCRAM-SHA-256",
        "properties_sasl_jaas_config": f'{SCRAM} username="reporter" password="first";',
    }
    plan = report(tmp_path, f"127.0.0.1:{guarded.guarded}", "guarded", **login)
    home = Home.create(tmp_path / "home", plan)

    def ends() -> list[str]:
        return [str(row[0])[11:16] for row in rows_of(tmp_path / "curve", "json")]

    driver = Driver(spark, plan, home)
    try:
        topics.write("guarded", [order(1, 1, "10:00:00"), order(1, 1, "10:11:00")])
        driver.until(lambda: ends() == ["10:10"])
        topics.set_password("reporter", "second")
        driver.until(lambda: "refuses the login" in (driver.beat().error or ""))
        topics.write("guarded", [order(1, 2, "10:12:00"), order(1, 2, "10:21:00")])
        topics.set_password("reporter", "first")
        driver.until(lambda: ends() == ["10:10", "10:20"])
        driver.until(lambda: driver.beat().error is None)
    finally:
        driver.end()
        topics.close()
    assert verify(spark, plan, home).is_proven
