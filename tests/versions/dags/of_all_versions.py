"""What every version of Airflow can do with a report: stream it, prove it, compute it in batch, and warn."""

from __future__ import annotations

import os
from typing import Any

from airflow.sdk import DAG

from airflow_nrt.notifications.nrt import NrtNotifier
from airflow_nrt.operators.backfill import NrtBackfillOperator
from airflow_nrt.operators.stop import NrtStopOperator
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.sensors.window import NrtWindowSensor

HOMES = os.environ["ORDERS_HOMES"]
BOUNDED: dict[str, Any] = {"report": "seconds.sql", "home": f"{HOMES}/bounded", "settings": {"TABLE": "bounded"}}
LIVE: dict[str, Any] = {"report": "seconds.sql", "home": f"{HOMES}/live", "settings": {"TABLE": "live"}}

with DAG("bounded", schedule=None, catchup=False):
    stream = NrtStreamOperator(task_id="stream", available_now=True, **BOUNDED)
    stream >> NrtVerifyOperator(task_id="verify", **BOUNDED)

with DAG("live", schedule=None, catchup=False):
    NrtStreamOperator(
        task_id="stream",
        poll_interval=0.5,
        status_interval=1,
        freshness="1 s",
        freshness_callback=[NrtNotifier(http_conn_id="alerts")],
        **LIVE,
    )

with DAG("waiting", schedule=None, catchup=False):
    complete = NrtWindowSensor(
        task_id="complete",
        home=LIVE["home"],
        window_end="2024-06-18 10:00:10",
        deferrable=True,
        poke_interval=1,
        timeout=120,
    )
    complete >> NrtStopOperator(task_id="stop", home=LIVE["home"])

with DAG("in_batch", schedule=None, catchup=False):
    NrtBackfillOperator(task_id="backfill", **LIVE)
