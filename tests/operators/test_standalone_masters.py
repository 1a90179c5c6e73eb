"""Drivers on a real standalone master: in client mode beside the launcher, in cluster mode on a worker.

And what a session gives the executors of a cluster, and takes its tasks by.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import TaskDeferred

from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.demo.generator import play
from airflow_nrt.engine.java.class_archive import use_of_archive
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch.launch_records import last_launch
from airflow_nrt.operators.stream import NrtStreamOperator
from tests.launch.homes import REPORT
from tests.launch.standalone import Standalone, standalone

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    with standalone(tmp_path_factory.mktemp("standalone")) as running:
        yield running


def run(task: NrtStreamOperator) -> dict[str, Any]:
    """The task from begin to end, its trigger run in between."""
    ti = SimpleNamespace(
        dag_id="dag", task_id=task.task_id, run_id="run", map_index=-1, try_number=1, xcom_push={}.__setitem__
    )
    context: Any = {"ti": ti}
    try:
        return task.execute(context)  # type: ignore[no-any-return]
    except TaskDeferred as deferred:
        trigger, kwargs = deferred.trigger, deferred.kwargs or {}

    async def first() -> dict[str, Any]:
        async for event in trigger.run():
            return event.payload  # type: ignore[no-any-return]
        raise AssertionError("it ended without an event")

    event = asyncio.run(asyncio.wait_for(first(), 180))
    return task.resume(context, event, **kwargs)  # type: ignore[no-any-return]


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["client", pytest.param("cluster", marks=pytest.mark.thorough)])
def test_a_report_runs_on_a_standalone_master(
    cluster: Standalone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    (tmp_path / "data" / "orders").mkdir(parents=True)
    play(tmp_path / "data" / "orders", rows=2000, seconds=0.5, seed=3)
    conf = {
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.cores.max": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.pyspark.python": sys.executable,
    }
    spark = {"conn_type": "spark", "host": cluster.url, "extra": {"rest-port": str(cluster.rest_port)}}
    monkeypatch.setenv("AIRFLOW_CONN_STANDALONE", json.dumps(spark))
    extra = {"spark_conn_id": "standalone", "deploy_mode": mode, "conf": json.dumps(conf)}
    monkeypatch.setenv("AIRFLOW_CONN_REPORTS", json.dumps({"conn_type": "nrt", "extra": extra}))
    task = NrtStreamOperator(
        task_id="stream",
        report=str(REPORT),
        home=str(tmp_path / "home"),
        settings={"DATA": str(tmp_path / "data")},
        nrt_conn_id="reports",
        available_now=True,
        earliest_event=0.0,
    )

    told = run(task)

    home = Home.open(tmp_path / "home")
    assert (told["driver"], told["rows"]) == ("finished", 2001)
    beat, launch = read_heartbeat(home.heartbeats), last_launch(home)
    assert beat is not None and launch is not None
    assert beat.launch == launch.id
    assert beat.application.startswith("app-")
    # It would ask the master for ten minutes how the driver is doing, and the master goes now.
    launch.kill(home)


_SESSION = """
import os, sys, time
from airflow_nrt.engine.java.finding import ensure_java
ensure_java()
from airflow_nrt.engine.spark.cluster import cores
from airflow_nrt.engine.spark.quick_session import end_session
from airflow_nrt.engine.spark.session import start_session
from airflow_nrt.engine.spark.tuning import tune_for
from airflow_nrt.home.log.entries import StateFile

master, place = sys.argv[1:]
settings = {"spark.driver.host": "127.0.0.1", "spark.executor.memory": "512m"}

def partitions():
    tune_for(session, [StateFile("many", 0, 0, 1_000_000)])
    return session.conf.get("spark.sql.shuffle.partitions")

session = start_session("cores", master, settings)
session.sparkContext.setLogLevel("OFF")
print(session.conf.get("spark.sql.shuffle.partitions"), partitions(), flush=True)
session.range(0, 1000, 1, 2).selectExpr("id % 3 AS part", "id").write.partitionBy("part").parquet(place)
print(sorted({name.rpartition(".")[2] for _, _, names in os.walk(place) for name in names}), flush=True)
print(session.sparkContext.getConf().get("spark.executor.defaultJavaOptions"), flush=True)
many = " + ".join(["id"] * 300)
print(session.sql(f"SELECT max({many}) FROM range(0, 1000, 1, 2)").collect()[0][0], flush=True)
sys.stdin.readline()
deadline = time.monotonic() + 60
while cores(session) == 2 and time.monotonic() < deadline:
    time.sleep(0.2)
print(partitions(), flush=True)
end_session(session)
"""


@pytest.mark.thorough
def test_a_session_has_as_many_tasks_as_the_cluster_has_cores_also_when_it_grows(
    cluster: Standalone, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _SESSION, cluster.url, str(tmp_path / "files")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as session:
        assert session.stdin is not None and session.stdout is not None
        assert session.stdout.readline() == "2 2\n"
        # No sums beside the files: executors write as the driver does.
        assert session.stdout.readline() == "['parquet']\n"
        options = session.stdout.readline().split()
        known = use_of_archive(os.environ.get("JAVA_HOME"))
        assert options == [*DEFAULT_JAVA_OPTIONS["spark.executor.defaultJavaOptions"].split(), *known]
        # Neither the parser here nor a task there has run out of stack.
        assert session.stdout.readline() == "299700\n"
        cluster.add_worker(1, "1g")
        session.stdin.write("grown\n")
        session.stdin.flush()
        assert session.stdout.readline() == "3\n"
