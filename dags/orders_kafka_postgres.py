"""The live curve of the day from a topic of Kafka into a table of PostgreSQL: one driver, supervised.

`airflow-nrt prepare kafka postgresql` fetches what Spark lacks for both. The stream archives the topic, so that the day
can be verified and repaired when the topic has forgotten it.
"""

from __future__ import annotations

import os

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOME = os.environ.get("ORDERS_HOMES", "/data/homes") + "/orders_kafka_postgres"

with DAG(
    "orders_kafka_postgres", schedule=None, max_active_runs=1, catchup=False, tags=["orders"], doc_md=__doc__
) as dag:
    NrtStreamOperator(
        task_id="stream",
        report="reports/orders_kafka_postgres.sql",
        home=HOME,
        # The database is Airflow's connection `orders_db`, which the report names.
        settings={"DATA": DATA, "BROKERS": os.environ.get("ORDERS_BROKERS", "kafka:9092")},
        stall_timeout=600,
        retries=1,
    )
