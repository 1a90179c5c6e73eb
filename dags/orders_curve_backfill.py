"""A day again, in batch: Airflow's backfill makes a run per day, and each proves or repairs its windows."""

from __future__ import annotations

import os
from datetime import datetime, timezone

from airflow.sdk import DAG, Param
from airflow.timetables.interval import CronDataIntervalTimetable

from airflow_nrt.operators.backfill import ON_MISMATCH, NrtBackfillOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOME = os.environ.get("ORDERS_HOME", "/data/homes/orders_curve")

with DAG(
    "orders_curve_backfill",
    schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
    max_active_runs=1,
    # The schedule only names the days: no run comes from the clock, and backfills don't heed the start date.
    start_date=datetime(2100, 1, 1, tzinfo=timezone.utc),
    catchup=False,
    params={"on_mismatch": Param("fail", enum=list(ON_MISMATCH), description="about unexplained differences")},
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    NrtBackfillOperator(
        task_id="backfill",
        report="reports/orders_curve.sql",
        home=HOME,
        settings={"DATA": DATA},
        verify=True,
        on_mismatch="{{ params.on_mismatch }}",
    )
