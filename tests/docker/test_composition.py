"""The files of docker/ as they are written: what docker-compose makes of them, and what they promise to each other."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from airflow_nrt.hooks.nrt import NrtSettings
from tests.docker.composition import COMPOSE, ROOT, SECRETS, filled_example, resolved

DOCKER = ROOT / "docker"
DOCKERFILES = [DOCKER / "Dockerfile.airflow", DOCKER / "Dockerfile.spark"]
EXAMPLE = DOCKER / ".env.example"
NOT_FOR_LONG = {"airflow-init", "orders"}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's settings with four secrets."""
    if shutil.which("docker-compose") is None:
        pytest.skip("docker-compose is missing here: apt-get install docker-compose")
    return filled_example(tmp_path_factory.mktemp("settings") / "env")


@pytest.fixture(scope="module")
def composition(process: None, settings: Path) -> dict[str, Any]:
    return resolved(settings)


def test_docker_compose_accepts_the_composition(composition: dict[str, Any]) -> None:
    images = {name: service["image"] for name, service in composition["services"].items()}
    spark = {name for name, image in images.items() if image == "airflow-nrt-spark"}
    assert spark == {"spark-master", "spark-worker"}
    assert {name for name, image in images.items() if image == "airflow-nrt"} == {*images} - spark - {"postgres"}
    assert composition["services"]["spark-worker"]["deploy"]["replicas"] == 2


def test_an_image_is_built_once_and_before_it_is_needed(composition: dict[str, Any]) -> None:
    services = composition["services"]
    builders = {service["image"]: name for name, service in services.items() if "build" in service}
    assert builders == {"airflow-nrt": "airflow-init", "airflow-nrt-spark": "spark-master"}
    for name, service in services.items():
        builder = builders.get(service["image"], name)
        assert builder == name or builder in service["depends_on"]


def test_what_runs_for_long_has_a_health_check_and_comes_again(composition: dict[str, Any]) -> None:
    for name, service in composition["services"].items():
        if name not in NOT_FOR_LONG:
            assert (name, service["restart"]) == (name, "unless-stopped")
            assert service["healthcheck"]["test"], name


def test_two_pages_are_reached_from_this_host_and_nothing_from_elsewhere(composition: dict[str, Any]) -> None:
    ports = {name: service["ports"] for name, service in composition["services"].items() if "ports" in service}
    assert ports == {"airflow-api-server": ["127.0.0.1:8080:8080/tcp"], "spark-master": ["127.0.0.1:8090:8090/tcp"]}


def test_processes_of_the_products_images_gain_no_privileges(composition: dict[str, Any]) -> None:
    for name, service in composition["services"].items():
        if name != "postgres":
            assert (name, service["cap_drop"]) == (name, ["ALL"])
            assert service["security_opt"] == ["no-new-privileges:true"]


def test_homes_lie_on_a_volume_that_airflow_and_workers_share(composition: dict[str, Any]) -> None:
    services = composition["services"]
    connection = json.loads(services["airflow-scheduler"]["environment"]["AIRFLOW_CONN_NRT_DEFAULT"])
    assert connection["extra"]["home"].startswith("/data/")
    with_data = {name for name, service in services.items() if "data:/data:rw" in service.get("volumes", ())}
    assert with_data == {*services} - {"postgres", "spark-master"}


@pytest.mark.process
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_that_is_not_filled_in_is_named(settings: Path, tmp_path: Path, secret: str) -> None:
    lacking = tmp_path / "env"
    lacking.write_text(settings.read_text().replace(f"{secret}=secret\n", f"{secret}=\n"))
    with pytest.raises(subprocess.CalledProcessError) as refused:
        resolved(lacking)
    assert secret in refused.value.stderr and "fill in docker/.env" in refused.value.stderr


def test_the_example_has_no_secrets_and_no_unknown_variables() -> None:
    values = dict(line.split("=", 1) for line in EXAMPLE.read_text().splitlines() if re.match(r"\w+=", line))
    used = set(re.findall(r"\$\{(\w+)", COMPOSE.read_text()))
    assert {*values} <= used
    assert [values[name] for name in (*SECRETS, "ORDERS_DB_PASSWORD")] == [""] * 5


def test_images_share_their_first_stage() -> None:
    airflow, spark = (file.read_text().split("\nFROM ") for file in DOCKERFILES)
    assert airflow[1].startswith("${PYTHON_IMAGE} AS engine\n")
    assert airflow[1].rstrip() == spark[1].rstrip()


@pytest.mark.parametrize("file", DOCKERFILES, ids=lambda file: file.name)
def test_an_image_begins_with_a_version_and_ends_with_a_user(file: Path) -> None:
    text = file.read_text()
    assert re.search(r"^ARG PYTHON_IMAGE=python:3\.\d+\.\d+-slim-\w+$", text, re.MULTILINE)
    assert re.findall(r"^USER (.*)$", text, re.MULTILINE) == ["nrt"]
    assert re.findall(r"--requirement (\S+)", text) and text.count("--require-hashes") == text.count("--requirement ")


@pytest.mark.parametrize("lock", ["airflow-image.lock", "kubernetes-image.lock", "spark-image.lock"])
def test_images_hold_the_versions_that_are_tested(lock: str) -> None:
    tested, held = (versions(ROOT / "requirements" / name) for name in ("dev.lock", lock))
    assert {name: held[name] & tested[name] for name in held if name in tested and not held[name] & tested[name]} == {}
    assert "pyspark" in held


def test_values_of_the_chart_fit_the_spark_beside_it() -> None:
    values = yaml.safe_load((DOCKER / "kubernetes" / "airflow-values.yaml").read_text())
    objects = list(yaml.safe_load_all((DOCKER / "kubernetes" / "spark.yaml").read_text()))
    found = {(one["kind"], one["metadata"]["name"]): one["spec"] for one in objects}
    (connection,) = (json.loads(one["value"]) for one in values["env"] if one["name"] == "AIRFLOW_CONN_NRT_DEFAULT")
    extra = dict(connection["extra"])
    extra["conf"] = {name: str(value) for name, value in extra["conf"].items()}
    settings = NrtSettings(**extra)
    # What Kubernetes opens to a group at each mount is a home only with that group.
    pods = [values["securityContexts"]["pod"], *(pod(found[key]) for key in found if key[0] == "StatefulSet")]
    assert {(str(one["fsGroup"]), one["runAsUser"], one["runAsGroup"]) for one in pods} == {(settings.group, 50000, 0)}
    assert settings.deploy_mode == "cluster" and values["executor"] == "KubernetesExecutor"
    assert ("Service", "spark-master") in found and settings.master == "spark://spark-master:7077"
    claim = values["volumes"][0]["persistentVolumeClaim"]["claimName"]
    assert found["PersistentVolumeClaim", claim]["accessModes"] == ["ReadWriteMany"]
    worker = found["StatefulSet", "spark-worker"]["template"]["spec"]
    assert worker["volumes"] == values["volumes"]
    assert worker["containers"][0]["volumeMounts"] == values["volumeMounts"]


def pod(spec: dict[str, Any]) -> dict[str, Any]:
    context: dict[str, Any] = spec["template"]["spec"]["securityContext"]
    return context


def versions(lock: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==([^\s;]+)", lock.read_text(), re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found
