"""The DAG that the factory makes."""

from __future__ import annotations

import pytest
from airflow.sdk import Asset

from airflow_nrt.assets.dispatcher import dispatcher_dag
from airflow_nrt.basics.errors import InputError


def test_a_task_for_each_asset_and_one_watcher() -> None:
    dag = dispatcher_dag(Asset("curve"), home="curve", nrt_conn_id="reports", tags=["orders"])
    assert (dag.dag_id, dag.max_active_runs, dag.tags) == ("curve_dispatcher", 1, {"orders"})
    outlets = {task.task_id: [one.name for one in task.outlets] for task in dag.tasks}  # type: ignore[attr-defined]
    assert outlets == {"complete": ["curve"], "restated": ["curve_restated"]}
    (watcher,) = dag.task_dict["complete"].inlets[0].watchers  # type: ignore[attr-defined]
    assert watcher.name == "curve_log"
    assert watcher.trigger.serialize()[1]["nrt_conn_id"] == "reports"


def test_restated_windows_may_go_to_an_asset_of_their_own() -> None:
    dag = dispatcher_dag(Asset("curve"), home="curve", restated=Asset("changed"), dag_id="mine")
    assert dag.dag_id == "mine"
    assert [one.name for one in dag.task_dict["restated"].outlets] == ["changed"]  # type: ignore[attr-defined]


def test_what_can_t_be_watched_is_refused_when_the_dag_is_parsed() -> None:
    with pytest.raises(InputError, match=r"give Asset\('curve'\), not 'curve'"):
        dispatcher_dag("curve", home="curve")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="can't be a template"):
        dispatcher_dag(Asset("curve"), home="{{ params.home }}")
    with pytest.raises(InputError, match="more than 0 seconds, not 0"):
        dispatcher_dag(Asset("curve"), home="curve", poll_interval=0)
