"""A day of the topic published again from its archive, late rows included, and proven equal to the batch."""

from __future__ import annotations

import os

from airflow.sdk import DAG, Param

from airflow_nrt.operators.backfill import NrtBackfillOperator
from airflow_nrt.operators.verify import NrtVerifyOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOME = os.environ.get("ORDERS_HOMES", "/data/homes") + "/orders_kafka_postgres"
SETTINGS = {"DATA": DATA, "BROKERS": os.environ.get("ORDERS_BROKERS", "kafka:9092")}
REPORT = {"report": "reports/orders_kafka_postgres.sql", "home": HOME, "settings": SETTINGS}
DAY = {"start": "{{ params.day }}", "end": "{{ macros.ds_add(params.day, 1) }}"}

with DAG(
    "orders_kafka_postgres_repair",
    schedule=None,
    max_active_runs=1,
    params={"day": Param(type="string", format="date", description="the day to publish again, e.g. 2024-06-18")},
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    NrtBackfillOperator(task_id="publish", verify=False, **REPORT, **DAY) >> NrtVerifyOperator(
        task_id="prove", **REPORT, **DAY
    )
