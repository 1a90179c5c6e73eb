"""The images, built for real; each service started from its image; and the demonstration's day across them.

    pytest -m containers tests/docker

Some twelve minutes on two cores, and 15 GB of disk for images and containers. It needs no container engine: podman and
buildah (root), debootstrap and docker-compose, all of them Debian's, and PostgreSQL.
"""

from __future__ import annotations

import json
import os
import secrets
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from airflow_nrt.demo.airflow_client import AirflowClient, wait_until
from airflow_nrt.demo.play import backfill, repair
from airflow_nrt.demo.scene import Dags
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.summary import WINDOWS_WANTED, row_counts
from tests.docker.composition import ROOT, USER, Composition, image_config, own_network, resolved
from tests.docker.images import base_of, build, lacking, make_base
from tests.docker.postgres import binaries, postgres

pytestmark = [pytest.mark.slow, pytest.mark.containers, pytest.mark.timeout(3600), pytest.mark.process]

IMAGES = {"airflow-nrt": "Dockerfile.airflow", "airflow-nrt-spark": "Dockerfile.spark"}
DAGS = Dags("orders_curve")
HOME = "/data/homes/orders_curve"
MIDNIGHT = "2024-06-19"
URL = "http://127.0.0.1:8080"
PASSWORD = "of-the-test"
SETTINGS = {
    "POSTGRES_PASSWORD": PASSWORD,
    "AIRFLOW_FERNET_KEY": urlsafe_b64encode(os.urandom(32)).decode(),
    "AIRFLOW_JWT_SECRET": secrets.token_hex(32),
    "AIRFLOW_ADMIN_PASSWORD": PASSWORD,
    "AIRFLOW_PAUSED_AT_CREATION": "False",
}


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Both images, built from this clone."""
    if missing := lacking():
        pytest.skip(missing)
    for image, dockerfile in IMAGES.items():
        make_base(base_of(ROOT / "docker" / dockerfile), tmp_path_factory.mktemp("base"))
        build(dockerfile, image)


@pytest.fixture(scope="module")
def running(images: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composition]:
    """All services, each of them healthy."""
    if binaries() is None:
        pytest.skip("PostgreSQL is missing here: apt-get install postgresql")
    place = tmp_path_factory.mktemp("composition")
    settings = place / "env"
    settings.write_text("".join(f"{name}={value}\n" for name, value in SETTINGS.items()))
    composition = Composition(resolved(settings), place / "volumes")
    with own_network(), postgres(place / "postgres"):
        try:
            composition.run("airflow-init")
            for name in started(composition):
                composition.start(name)
                composition.wait_until_healthy(name)
            yield composition
        finally:
            composition.close()


def started(composition: Composition) -> list[str]:
    """What is checked by itself, before what is checked through it."""
    own = [name for name, service in composition.config["services"].items() if "healthcheck" in service]
    first = ["airflow-api-server", "spark-master"]
    return [*first, *sorted({*own} - {*first, "postgres"})]


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_runs_as_a_user_and_reaps_processes(images: None, image: str) -> None:
    config = image_config(image)
    assert (config["User"], config["Entrypoint"]) == ("nrt", ["tini", "--"])


def test_the_demonstrations_day_across_all_services(running: Composition) -> None:
    airflow = AirflowClient(URL, token())
    for dag in DAGS.all:
        airflow.wait_for_dag(dag)
    running.start("orders")
    airflow.trigger(DAGS.live, "day")
    wait_until(lambda: windows(running) > 20, 300, "the first windows", lambda: said(airflow))

    # The driver runs on Spark's worker: it does not notice that Airflow's tasks have lost their container.
    before = status(running)
    running.end("airflow-scheduler")
    wait_until(lambda: windows(running) > before["windows"], 120, "windows without a scheduler")
    assert status(running)["heartbeat"]["launch"] == before["heartbeat"]["launch"]
    running.start("airflow-scheduler")
    running.wait_until_healthy("airflow-scheduler")

    # Killed itself, it is replaced.
    kill_driver()
    wait_until(lambda: status(running)["epoch"] > before["epoch"], 300, "the next driver", lambda: said(airflow))
    wait_until(lambda: is_complete(running), 480, "midnight", lambda: said(airflow))
    running.run("airflow-scheduler", "airflow-nrt", "stop", "--home", HOME)
    assert airflow.wait_for_run(DAGS.live, "day") == "success", said(airflow)

    screen = Screen()
    verdict = backfill(DAGS.backfill, airflow, screen)
    assert verdict["proven"] and verdict["windows"] >= WINDOWS_WANTED and row_counts(verdict).explained
    repaired = repair(DAGS.repair, airflow, screen)
    assert repaired["proven"] and row_counts(repaired).all == row_counts(repaired).equal


def test_homes_belong_to_the_one_user(running: Composition) -> None:
    home = running.volumes / "data" / "homes" / "orders_curve"
    assert {(path.stat().st_uid, path.stat().st_mode & 0o077) for path in home.rglob("*")} == {(USER, 0)}


def status(running: Composition) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        running.run("airflow-api-server", "airflow-nrt", "status", "--home", HOME, "--json")
    )
    return found


def token() -> str:
    """What Airflow gives to `admin`, whose password the composition was given."""
    sign_in = json.dumps({"username": "admin", "password": PASSWORD}).encode()
    question = urllib.request.Request(f"{URL}/auth/token", sign_in, {"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(question, timeout=60) as answer:
        return str(json.load(answer)["access_token"])


def kill_driver() -> None:
    """Java and Python of the driver. Their numbers in the home are those of their own container."""
    found = [process for process in psutil.process_iter() if is_driver(process)]
    assert found
    for process in found:
        process.kill()


def is_driver(process: psutil.Process) -> bool:
    try:
        return process.uids().real == USER and {HOME, "--launch"} <= {*process.cmdline()}
    except psutil.Error:
        return False


def windows(running: Composition) -> int:
    home = running.volumes / "data" / "homes" / "orders_curve" / "report.json"
    return int(status(running)["windows"]) if home.exists() else 0


def is_complete(running: Composition) -> bool:
    text = running.run("airflow-api-server", "airflow-nrt", "status", "--home", HOME)
    return f"complete up to {MIDNIGHT}" in text


def said(airflow: AirflowClient) -> str:
    attempt = airflow.task(DAGS.live, "day", "stream")["try_number"]
    return airflow.log(DAGS.live, "day", "stream", max(attempt, 1))[-4000:]
