"""The connection type `nrt`."""

from __future__ import annotations

import json
import socket
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from airflow.exceptions import AirflowProviderDeprecationWarning

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.hooks.nrt import NrtHook
from airflow_nrt.operators.stop import NrtStopOperator
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.sensors.window import NrtWindowSensor
from tests.launch.homes import beat, lease, new_home

verify = partial(NrtVerifyOperator, report="orders.sql")


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    def define(conn_id: str, conn_type: str = "nrt", **fields: Any) -> None:
        monkeypatch.setenv(f"AIRFLOW_CONN_{conn_id.upper()}", json.dumps({"conn_type": conn_type, **fields}))

    return define


def test_without_a_connection_spark_is_local_and_a_home_must_be_named(tmp_path: Path) -> None:
    hook = NrtHook()
    assert hook.cluster().master == "local[*]"
    assert hook.home(str(tmp_path)).path == tmp_path
    with pytest.raises(InputError, match="no home is given"):
        hook.home(None, "orders")


def test_a_report_has_its_home_below_the_connection_s(connection) -> None:  # type: ignore[no-untyped-def]
    connection("reports", extra={"home": "/data/homes/"})
    assert NrtHook("reports").home(None, "orders").path == Path("/data/homes/orders")


def test_masters_by_precedence(connection) -> None:  # type: ignore[no-untyped-def]
    connection("cluster", "spark", host="spark://master", port=7077, extra={"deploy-mode": "cluster", "queue": "q"})
    connection("by_spark", extra={"spark_conn_id": "cluster"})
    connection("own", extra={"spark_conn_id": "cluster", "master": "local[2]", "deploy_mode": "client"})

    by_spark = NrtHook("by_spark").cluster()
    assert (by_spark.master, by_spark.deploy_mode) == ("spark://master:7077", "cluster")
    assert by_spark.connection["extra"] == {"deploy-mode": "cluster", "queue": "q"}
    own = NrtHook("own").cluster()
    assert (own.master, own.deploy_mode) == ("local[2]", "client")
    assert NrtHook("own", master="local[1]").cluster().master == "local[1]"


def test_packages_and_settings_reach_the_submission(connection, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    conf = json.dumps({"spark.executor.memory": "4g"})
    connection("rich", extra={"packages": "a:b:1,c:d:2", "conf": conf, "master": "spark://h:1"})
    submission = NrtHook("rich").submission(new_home(tmp_path), "orders", ["--report", "x.sql"])
    assert submission.hook["packages"] == "a:b:1,c:d:2"
    assert submission.conf == {**DEFAULT_JAVA_OPTIONS, "spark.executor.memory": "4g"}
    assert submission.connection["host"] == "spark://h:1"


@pytest.mark.parametrize(
    "extra, complaint",
    [
        ({"conf": "spark.x=1"}, "conf must be a JSON object of Spark settings"),
        ({"deploy_mode": "clustered"}, "deploy_mode must be client or cluster, not 'clustered'"),
    ],
)
def test_wrong_fields_are_named(connection, extra: dict[str, str], complaint: str) -> None:  # type: ignore[no-untyped-def]
    connection("wrong", extra=extra)
    with pytest.raises(InputError, match=complaint):
        NrtHook("wrong").cluster()


def test_a_connection_of_another_type_is_refused(connection) -> None:  # type: ignore[no-untyped-def]
    connection("other", "http")
    with pytest.raises(InputError, match="has the type 'http', not 'nrt'"):
        NrtHook("other").get_conn()


def test_status_and_stop(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    beat(home, lease(home).epoch)
    hook = NrtHook()
    assert hook.status(str(home.path)).driver == "running"
    assert hook.ask_to_stop(str(home.path)) == 1
    assert home.is_stop_asked(1)


def test_no_home_and_an_unreadable_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no home of a report"):
        NrtHook().status(str(tmp_path))
    (tmp_path / "report.json").write_text("{")
    with pytest.raises(HomeError, match="can't be read"):
        NrtHook().status(str(tmp_path))


@pytest.mark.parametrize("place", ["orders", "/data/homes/orders", "file:///data/homes/orders"])
def test_a_place_is_below_the_connection_s_home(connection, place: str) -> None:  # type: ignore[no-untyped-def]
    connection("reports", extra={"home": "/data/homes"})
    assert NrtHook("reports").home(place).path == Path("/data/homes/orders")


# ---------------------------------------------------------------------------------------------- the default, the test


def test_the_default_connection_counts_where_it_is_defined(connection, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert NrtHook().cluster().master == "local[*]"
    with pytest.raises(InputError, match="the connection 'other' is not defined: add it under Admin"):
        NrtHook("other").cluster()
    connection("nrt_default", extra={"home": "/data/homes", "master": "local[3]"})
    assert NrtHook().cluster().master == "local[3]"
    assert NrtStopOperator(task_id="stop", home="orders").nrt_conn_id == "nrt_default"
    assert NrtHook(None).cluster().master == "local[*]"


@pytest.mark.parametrize("task", [NrtStopOperator, partial(NrtWindowSensor, window_end="2024-06-18"), verify])
def test_the_old_name_of_the_parameter_works_and_warns(task: Any) -> None:
    with pytest.warns(AirflowProviderDeprecationWarning, match="give nrt_conn_id"):
        old = task(task_id="task", home="orders", conn_id="reports")
    assert old.nrt_conn_id == "reports"


def test_a_connection_that_can_be_used_is_told_what_it_gives(connection, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with socket.create_server(("127.0.0.1", 0)) as master:
        port = master.getsockname()[1]
        extra = {"home": str(tmp_path), "master": f"spark://127.0.0.1:{port}", "deploy_mode": "cluster"}
        connection("reports", extra=extra)
        is_right, told = NrtHook("reports").test_connection()
    assert is_right, told
    assert told.startswith(f"homes {tmp_path} can be written from ")
    assert told.endswith(f"Spark master spark://127.0.0.1:{port} answers, deploy mode cluster")
    connection("later", extra={"home": str(tmp_path / "later")})
    is_right, told = NrtHook("later").test_connection()
    assert is_right and "are not on" in told and "Spark master local[*]" in told


@pytest.mark.parametrize(
    "extra, complaint",
    [
        ({"home": "homes"}, "are a relative path"),
        ({"home": "s3://bucket/homes"}, "a home can't be on s3:// yet"),
        ({"home": __file__}, "are no directory"),
        ({"master": "spork://h"}, "there is no Spark master 'spork://h'"),
        ({"master": "spark://127.0.0.1:1"}, "Spark master spark://127.0.0.1:1 does not answer"),
        ({"spark_conn_id": "nowhere"}, "the connection 'nowhere' is not defined"),
        ({"conf": "spark.x=1"}, "conf must be a JSON object"),
    ],
)
def test_a_connection_that_can_t_is_told_why(connection, extra: dict[str, str], complaint: str) -> None:  # type: ignore[no-untyped-def]
    connection("wrong", extra=extra)
    is_right, told = NrtHook("wrong").test_connection()
    assert not is_right
    assert complaint in told
