"""Orders by price band, every ten minutes: a report that is a Python program inside of its DAG file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from airflow.sdk import DAG, task

if TYPE_CHECKING:
    from airflow_nrt.table import TableEnvironment

DATA = os.environ.get("ORDERS_DATA", "/data")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")

with DAG("price_bands", schedule=None, max_active_runs=1, catchup=False, tags=["orders"], doc_md=__doc__) as dag:

    @task.nrt_report(home=f"{HOMES}/price_bands", settings={"DATA": DATA}, stall_timeout=600, retries=1)
    def price_bands(t_env: TableEnvironment) -> None:
        """It is run by the driver, away from this file: what it needs is imported inside."""
        from decimal import Decimal

        from airflow_nrt.table import Tumble, col, lit, udf

        @udf
        def band(price: Decimal) -> str:
            return "under 10" if price < 10 else "10 to 50" if price < 50 else "50 and more"

        t_env.execute_sql(
            """
            CREATE TABLE orders (
                order_id BIGINT, shop_id INT, user_id INT, price DECIMAL(10, 2), pay_time TIMESTAMP(3),
                ds STRING, hh STRING,
                WATERMARK FOR pay_time AS pay_time - INTERVAL '5' MINUTES
            ) PARTITIONED BY (ds, hh) WITH (
                'connector' = 'filesystem', 'path' = '${DATA}/orders', 'format' = 'csv',
                'source.monitor-interval' = '1 s',
                'partition.time-extractor.timestamp-pattern' = '$ds $hh:00:00'
            );
            CREATE TABLE price_bands (band STRING, window_end TIMESTAMP(3), orders BIGINT, gmv DECIMAL(38, 2))
            WITH ('connector' = 'filesystem', 'path' = '${DATA}/price_bands', 'format' = 'parquet')
            """
        )
        orders = t_env.from_path("orders").select(band(col("price")).alias("band"), col("price"), col("pay_time"))
        windows = orders.window(Tumble.over(lit(10).minutes).on(col("pay_time")).alias("w"))
        counted = windows.group_by(col("w"), col("band")).select(
            col("band"), col("w").end, col("band").count, col("price").sum
        )
        counted.execute_insert("price_bands")

    price_bands()
