"""The connection type `nrt`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.hooks.nrt import NrtHook
from airflow_nrt.report.errors import HomeError, InputError
from airflow_nrt.report.java import DEFAULT_JAVA_OPTIONS
from tests.launch.homes import beat, lease, new_home


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
