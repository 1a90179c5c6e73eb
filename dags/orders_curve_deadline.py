"""Airflow's own way to be warned: the windows of each hour are there 15 minutes later, or a web hook hears of it.

The other way is `freshness` of the stream task, which looks at every window and says when all is well again.
"""

from __future__ import annotations

import os
from datetime import timedelta

from airflow.sdk import DAG
from airflow.sdk.definitions.deadline import AsyncCallback, DeadlineAlert, DeadlineReference
from airflow.timetables.interval import CronDataIntervalTimetable

from airflow_nrt.notifications.nrt import NrtNotifier
from airflow_nrt.sensors.window import NrtWindowSensor

HOME = os.environ.get("ORDERS_HOME", "/data/homes/orders_curve")
# A run that is triggered by hand has no data interval: it means the time of the trigger.
HOUR = "{{ (data_interval_end | default(dag_run.run_after, true)).strftime('%Y-%m-%dT%H:%M:%SZ') }}"
LATE = "orders_curve: not all windows up to {{ dag_run.data_interval_end or dag_run.run_after }} are complete"

with DAG(
    "orders_curve_deadline",
    schedule=CronDataIntervalTimetable("0 * * * *", timezone="UTC"),
    catchup=False,
    is_paused_upon_creation=True,
    deadline=DeadlineAlert(
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=timedelta(minutes=15),
        callback=AsyncCallback(NrtNotifier, kwargs={"http_conn_id": "nrt_alerts", "text": LATE}),
    ),
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    NrtWindowSensor(task_id="complete", home=HOME, window_end=HOUR, deferrable=True, timeout=6 * 3600)
