"""A DAG that emits asset events for the windows of a report, wherever that is streamed."""

from __future__ import annotations

from typing import Any

from airflow.sdk import DAG, Asset, AssetWatcher

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.connection import DEFAULT_CONNECTION
from airflow_nrt.operators.window_events import NrtDispatchOperator
from airflow_nrt.triggers.window_events import NrtWindowEventTrigger


def dispatcher_dag(
    asset: Asset,
    *,
    home: str,
    table: str | None = None,
    restated: Asset | None = None,
    nrt_conn_id: str | None = DEFAULT_CONNECTION,
    catchup: bool = False,
    poll_interval: float = 5.0,
    **dag_arguments: Any,
) -> DAG:
    """A DAG that emits an event of `asset` for each complete window of a report, and of `restated` for each window that
    is restated.

    The partition key is the window's end on the report's clock, `2024-06-18T10:00:00`. Each window is emitted once, in
    the order of the log. Windows that come together share a run. `NrtDispatchOperator` describes the events.

        dag = dispatcher_dag(Asset("orders_curve"), home="orders_curve")

    :param asset: the asset of complete windows
    :param home: the report's home; a relative path starts at the connection's `home`
    :param table: the table whose windows are emitted; default: the only one of the report that has windows
    :param restated: the asset of windows that late rows, a backfill or a repair have changed; default:
        `<asset>_restated`
    :param nrt_conn_id: a connection of type `nrt`; no connection if `nrt_default` is not defined
    :param catchup: when the DAG is first switched on, emit all windows of the log, not only those of the last ten
        minutes
    :param poll_interval: seconds between looks at the home
    :param dag_arguments: arguments of `DAG`; the default of `dag_id` is `<asset>_dispatcher`

    Raises InputError for an invalid asset, a home that is a template, and an invalid interval.
    """
    if not isinstance(asset, Asset):
        raise InputError(f"the windows become events of an asset: give Asset({asset!r}), not {asset!r}")
    if "{{" in home:
        raise InputError(f"the home {home!r} can't be a template: it is watched while no run is there to fill it")
    if poll_interval <= 0:
        raise InputError(f"poll_interval must be more than 0 seconds, not {poll_interval:g}")
    trigger = NrtWindowEventTrigger(f"{asset.name}_log", home, table, nrt_conn_id, catchup, poll_interval)
    log = Asset(f"{asset.name}_log", watchers=[AssetWatcher(name=f"{asset.name}_log", trigger=trigger)])
    known: dict[str, Any] = {
        "dag_id": f"{asset.name}_dispatcher",
        "description": f"Emits the windows of {asset.name} as asset events",
        "default_args": {"retries": 3, "retry_delay": 10},
    }
    with DAG(**{**known, **dag_arguments}, schedule=[log], catchup=False, max_active_runs=1) as dag:
        for kind, target in (("complete", asset), ("restated", restated or Asset(f"{asset.name}_restated"))):
            NrtDispatchOperator(
                task_id=kind, log=log, asset=target, kind=kind, home=home, table=table, nrt_conn_id=nrt_conn_id
            )
    return dag
