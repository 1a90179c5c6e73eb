"""A report inside of its DAG file, with a Python function; its stream, then its verification."""

import os

from airflow.sdk import DAG, task

from airflow_nrt.operators.verify import NrtVerifyOperator

HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")
WHERE = {
    "home": f"{HOMES}/{{{{ dag_run.conf['home'] }}}}",
    "settings": {"DATA": "{{ dag_run.conf['data'] }}"},
    "unsafe_settings": ["DATA"],
}

with DAG("inline", schedule=None, catchup=False):

    @task.nrt_report(**WHERE)
    def shops(t_env):
        from os import write

        from airflow_nrt.table import Tumble, col, lit, udf

        # No result of a command is taken from what a report prints.
        print('{"proven": false}')
        write(1, b"{}")
        half = udf(lambda shop: "odd" if shop % 2 else "even", result_type="STRING", name="half")
        t_env.execute_sql(
            """
            CREATE TABLE orders (order_id BIGINT, shop_id INT, user_id INT, price DECIMAL(10, 2), pay_time TIMESTAMP(3),
                ds STRING, hh STRING, WATERMARK FOR pay_time AS pay_time - INTERVAL '5' MINUTES
            ) PARTITIONED BY (ds, hh) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders', 'format' = 'csv',
                'csv.ignore-parse-errors' = 'true');
            CREATE TABLE halves (half STRING, window_end TIMESTAMP(3), orders BIGINT)
            WITH ('connector' = 'filesystem', 'path' = '${DATA}/halves', 'format' = 'parquet')
            """
        )
        counted = (
            t_env.from_path("orders")
            .select(half(col("shop_id")).alias("half"), col("pay_time"))
            .window(Tumble.over(lit(1).hours).on(col("pay_time")).alias("w"))
            .group_by(col("w"), col("half"))
            .select(col("half"), col("w").end, col("half").count)
        )
        counted.execute_insert("halves")

    shops() >> NrtVerifyOperator(task_id="verify", report=shops, **WHERE)
