"""Streams and waiting tasks whose home and data each run names, so that one DAG serves every test."""

import os

from airflow.sdk import DAG

from airflow_nrt.operators.stop import NrtStopOperator
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.sensors.window import NrtWindowSensor

HOME = f"{os.environ.get('ORDERS_HOMES', '/data/homes')}/{{{{ dag_run.conf['home'] }}}}"
DATA = "{{ dag_run.conf['data'] }}"

REPORTS = {"supervised": "orders_curve", "supervised_too": "orders_curve", "changing": "changing"}
for dag_id, name in REPORTS.items():
    with DAG(dag_id, schedule=None, catchup=False) as dag:
        NrtStreamOperator(
            task_id="stream",
            report=f"reports/{name}.sql",
            on_change="rebuild" if dag_id == "changing" else "fail",
            home=HOME,
            settings={"DATA": DATA},
            unsafe_settings=["DATA"],
            nrt_conn_id="{{ dag_run.conf.get('conn_id', '') }}",
            restart_delay=1,
            poll_interval=1,
            status_interval=3,
            retries=2,
            retry_delay=1,
        )
    globals()[dag_id] = dag

with DAG("waiting", schedule=None, catchup=False):
    for name, deferrable in (("poking", False), ("deferred", True)):
        NrtWindowSensor(
            task_id=name,
            home=HOME,
            window_end="{{ dag_run.conf['window_end'] }}",
            deferrable=deferrable,
            poke_interval=1,
            timeout=120,
        )

with DAG("stopping", schedule=None, catchup=False):
    NrtStopOperator(task_id="stop", home=HOME)
