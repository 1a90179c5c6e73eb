"""One real Airflow for all tests of this directory: scheduler, triggerer, dag-processor, api-server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.airflow_home  # noqa: F401
from airflow_nrt.demo.airflow_processes import AirflowProcesses
from airflow_nrt.demo.generator import play
from tests.dags.lab import Lab
from tests.notifications.hook import web_hook

FILES = Path(__file__).parent / "files"
DAGS = Path(__file__).parents[2] / "dags"


@pytest.fixture(scope="package")
def lab(airflow: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    root = tmp_path_factory.mktemp("lab")
    dags = root / "dags"
    shutil.copytree(DAGS, dags)
    for file in FILES.glob("*.py"):
        shutil.copy(file, dags)
    data = root / "data"
    (data / "orders").mkdir(parents=True)
    play(data / "orders", rows=3000, seconds=0.5, seed=7)
    environment = {
        "AIRFLOW__NRT__HOMES": str(root / "homes"),
        "ORDERS_DATA": str(data),
        "ORDERS_HOME": str(root / "homes" / "orders_curve"),
        "ORDERS_HOMES": str(root / "homes"),
        "AIRFLOW__TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "10",
        "AIRFLOW__TRIGGERER__JOB_HEARTBEAT_SEC": "2",
        "AIRFLOW__OPENLINEAGE__DISABLED": "True",
        # No file of DAGs changes here, so each is read once, however long that takes on a busy machine.
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "600",
        "AIRFLOW__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT": "300",
        "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "240",
    }
    (root / "homes").mkdir()
    processes = AirflowProcesses(root / "airflow", dags)
    with web_hook() as hook:
        environment["AIRFLOW_CONN_NRT_ALERTS"] = json.dumps({"conn_type": "http", "host": hook.url})
        processes.environment.update(environment)
        yield from _running(Lab(processes, root, hook))


def _running(lab: Lab) -> Iterator[Lab]:
    with lab.processes:
        try:
            yield lab
        finally:
            lab.put_down_all()
