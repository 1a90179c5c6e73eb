"""A day of the topic again, in batch from its archive: a run per day proves or repairs the table of PostgreSQL."""

from __future__ import annotations

import os
from datetime import datetime, timezone

from airflow.sdk import DAG, Param
from airflow.timetables.interval import CronDataIntervalTimetable

from airflow_nrt.operators.backfill import ON_MISMATCH, NrtBackfillOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOME = os.environ.get("ORDERS_HOMES", "/data/homes") + "/orders_kafka_postgres"
SETTINGS = {"DATA": DATA, "BROKERS": os.environ.get("ORDERS_BROKERS", "kafka:9092")}

with DAG(
    "orders_kafka_postgres_backfill",
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
        report="reports/orders_kafka_postgres.sql",
        home=HOME,
        settings=SETTINGS,
        verify=True,
        on_mismatch="{{ params.on_mismatch }}",
    )
