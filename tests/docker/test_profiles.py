"""The profiles of docker/compose.yaml with a broker and a database for reports."""

from __future__ import annotations

import json
import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

import tests.airflow_home  # noqa: F401
from airflow_nrt.basics.jars import JARS
from airflow_nrt.demo import example_dags
from airflow_nrt.demo.sources.kafka import PARTITIONS, TOPIC
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.load import load_report
from tests.docker.composition import ROOT, filled_example, resolved

DAG = "orders_kafka_postgres"
PASSWORD = "of-the-reports"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("docker-compose") is None:
        pytest.skip("docker-compose is missing here: apt-get install docker-compose")
    file = filled_example(tmp_path_factory.mktemp("settings") / "env")
    file.write_text(file.read_text().replace("ORDERS_DB_PASSWORD=\n", f"ORDERS_DB_PASSWORD={PASSWORD}\n"))
    return file


@pytest.fixture(scope="module")
def services(process: None, settings: Path) -> dict[str, Any]:
    found: dict[str, Any] = resolved(settings, "kafka", "postgres")["services"]
    return found


def test_each_profile_adds_its_own_services(settings: Path, services: dict[str, Any]) -> None:
    without, broker, database = (
        {*resolved(settings, *profiles)["services"]} for profiles in ((), ("kafka",), ("postgres",))
    )
    assert broker - without == {"kafka", "orders-topic"}
    assert database - without == {"orders-db"}
    assert {*services} == broker | database


def test_they_are_pinned_checked_come_again_and_are_reached_by_services_alone(services: dict[str, Any]) -> None:
    for name in ("kafka", "orders-db"):
        service = services[name]
        assert re.search(r":\d+\.\d+", service["image"]), name
        assert service["healthcheck"]["test"] and service["restart"] == "unless-stopped"
        assert "ports" not in service
    assert services["kafka"]["cap_drop"] == services["orders-topic"]["cap_drop"] == ["ALL"]


def test_the_broker_is_its_own_controller_and_is_known_by_its_service(services: dict[str, Any]) -> None:
    broker, topic = services["kafka"], services["orders-topic"]
    said = broker["environment"]
    assert said["KAFKA_PROCESS_ROLES"] == "broker,controller"
    assert said["KAFKA_CONTROLLER_QUORUM_VOTERS"] == f"{said['KAFKA_NODE_ID']}@kafka:9093"
    assert said["KAFKA_ADVERTISED_LISTENERS"] == "PLAINTEXT://kafka:9092"
    assert {listener.rpartition(":")[2] for listener in said["KAFKA_LISTENERS"].split(",")} == {"9092", "9093"}
    assert f"kafka:{said['KAFKA_LOG_DIRS']}:rw" in broker["volumes"]
    assert topic["image"] == broker["image"] and topic["depends_on"] == {"kafka": {"condition": "service_healthy"}}
    words = topic["command"]
    found = {name: words[words.index(f"--{name}") + 1] for name in ("bootstrap-server", "topic", "partitions")}
    assert found == {"bootstrap-server": "kafka:9092", "topic": TOPIC, "partitions": str(PARTITIONS)}


def test_the_report_reaches_both_by_what_airflow_is_given(
    services: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    airflow, database = services["airflow-scheduler"]["environment"], services["orders-db"]["environment"]
    for name in ("ORDERS_DATA", "ORDERS_BROKERS"):
        monkeypatch.setenv(name, airflow[name])
    connection = json.loads(airflow["AIRFLOW_CONN_ORDERS_DB"])
    kept = {
        f"conn:orders_db.{field}": str(connection[field]) for field in ("host", "port", "schema", "login", "password")
    }
    (task,) = runpy.run_path(str(example_dags() / f"{DAG}.py"))["dag"].tasks
    plan = load_report(example_dags() / task.report, {**task.settings, **kept})

    def options(table: Table) -> dict[str, str]:
        return dict(table.options)

    (source,), (insert,) = plan.sources, plan.inserts
    assert options(source.table)["properties.bootstrap.servers"] == "kafka:9092"
    sink = options(insert.sink)
    assert sink["url"] == f"jdbc:postgresql://orders-db:5432/{database['POSTGRES_DB']}"
    assert (sink["username"], sink["password"]) == (database["POSTGRES_USER"], PASSWORD)
    assert database["POSTGRES_PASSWORD"] == PASSWORD


@pytest.mark.parametrize("file", ["Dockerfile.airflow", "Dockerfile.spark"])
def test_images_have_the_jars_of_both_connectors(file: str) -> None:
    ((names),) = re.findall(r"cli\.main prepare ([a-z ]+)", (ROOT / "docker" / file).read_text())
    assert {"kafka", "postgresql"} <= {*names.split()} <= {*JARS}
