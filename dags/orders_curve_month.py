"""The curve of past months, in batch alone: a table that no stream reads, one run a month.

Airflow's backfill names the months. Windows that were never published are, and those that were are verified.
"""

from __future__ import annotations

import os
from datetime import datetime, timezone

from airflow.sdk import DAG
from airflow.timetables.interval import CronDataIntervalTimetable

from airflow_nrt.operators.backfill import NrtBackfillOperator

ARCHIVE = os.environ.get("ORDERS_ARCHIVE", "/data/archive")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")

with DAG(
    "orders_curve_month",
    schedule=CronDataIntervalTimetable("0 0 1 * *", timezone="UTC"),
    max_active_runs=1,
    # The schedule only names the months: no run comes from the clock, and backfills don't heed the start date.
    start_date=datetime(2100, 1, 1, tzinfo=timezone.utc),
    catchup=False,
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    NrtBackfillOperator(
        task_id="backfill",
        report="reports/orders_curve.sql",
        home=f"{HOMES}/orders_curve_month",
        settings={"DATA": ARCHIVE},
    )
