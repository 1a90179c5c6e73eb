"""The live curve of the day: one driver, supervised for as long as it runs."""

from __future__ import annotations

import os

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOME = os.environ.get("ORDERS_HOME", "/data/homes/orders_curve")

with DAG("orders_curve", schedule=None, max_active_runs=1, catchup=False, tags=["orders"], doc_md=__doc__) as dag:
    NrtStreamOperator(
        task_id="stream",
        report="reports/orders_curve.sql",
        home=HOME,
        settings={"DATA": DATA},
        stall_timeout=600,
        retries=1,
    )
