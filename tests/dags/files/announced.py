"""What follows from the windows of a report that another system may stream: runs for each window, and for each day; and
what is said where they do not come."""

import os
from datetime import timedelta
from pathlib import Path

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, Asset, AsyncCallback, DeadlineAlert, DeadlineReference, PartitionedAssetTimetable

from airflow_nrt.assets.day import NrtDayMapper
from airflow_nrt.assets.dispatcher import dispatcher_dag
from airflow_nrt.notifications.nrt import NrtNotifier
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.sensors.window import NrtWindowSensor

CURVE = Asset("announced")
HOMES = Path(os.environ.get("ORDERS_HOME", "/data/homes/orders_curve")).parent

dispatcher = dispatcher_dag(CURVE, home=str(HOMES / "announced"), poll_interval=1)

for dag_id, timetable in {
    "each_window": PartitionedAssetTimetable(assets=CURVE),
    "each_day": PartitionedAssetTimetable(assets=CURVE, default_partition_mapper=NrtDayMapper()),
    "each_restated_window": PartitionedAssetTimetable(assets=Asset("announced_restated")),
}.items():
    with DAG(dag_id, schedule=timetable, catchup=False) as dag:
        EmptyOperator(task_id="follow")
    globals()[dag_id] = dag

HOME = f"{HOMES}/{{{{ dag_run.conf['home'] }}}}"
WARN = AsyncCallback(NrtNotifier, kwargs={"http_conn_id": "nrt_alerts"})
LATE = AsyncCallback(NrtNotifier, kwargs={"http_conn_id": "nrt_alerts", "text": "{{ dag_run.dag_run_id }} is late"})

with DAG("watched", schedule=None, catchup=False):
    NrtStreamOperator(
        task_id="stream",
        report="reports/orders_curve.sql",
        home=HOME,
        settings={"DATA": "{{ dag_run.conf['data'] }}"},
        unsafe_settings=["DATA"],
        freshness="1 min",
        freshness_callback=WARN,
    )

SOON = DeadlineAlert(reference=DeadlineReference.DAGRUN_QUEUED_AT, interval=timedelta(seconds=2), callback=LATE)
with DAG("awaited", schedule=None, catchup=False, deadline=SOON):
    NrtWindowSensor(task_id="complete", home=HOME, window_end="2030-01-01", deferrable=True, timeout=60)
