"""The live curve of the day from a topic of Kafka into a table of PostgreSQL: one driver, supervised.

`airflow-nrt prepare kafka postgresql` fetches what Spark lacks for both.
"""

from __future__ import annotations

import os

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator

with DAG(
    "orders_kafka_postgres", schedule=None, max_active_runs=1, catchup=False, tags=["orders"], doc_md=__doc__
) as dag:
    NrtStreamOperator(
        task_id="stream",
        report="reports/orders_kafka_postgres.sql",
        home=os.environ.get("ORDERS_HOMES", "/data/homes") + "/orders_kafka_postgres",
        settings={
            "BROKERS": os.environ.get("ORDERS_BROKERS", "kafka:9092"),
            "DATABASE": os.environ.get("ORDERS_DATABASE", "jdbc:postgresql://postgres:5432/reports"),
            "DATABASE_USER": os.environ.get("ORDERS_DATABASE_USER", "airflow"),
            # The name of a secret: it is in no log, and in no file of the home.
            "DATABASE_PASSWORD": os.environ.get("ORDERS_DATABASE_PASSWORD", "airflow"),
        },
        stall_timeout=600,
        retries=1,
    )
