"""The month to date and the year to date, each day: `CUMULATE` over windows of calendar months and years."""

from __future__ import annotations

import os

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")

with DAG(
    "orders_month_to_date", schedule=None, max_active_runs=1, catchup=False, tags=["orders"], doc_md=__doc__
) as dag:
    NrtStreamOperator(
        task_id="stream",
        report="reports/orders_month_to_date.sql",
        home=f"{HOMES}/orders_month_to_date",
        settings={"DATA": DATA},
        stall_timeout=2 * 24 * 3600,
        retries=1,
    )
