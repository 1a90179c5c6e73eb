"""The scheduled batch job: reads the day again, up to a minute, and writes one window. Spark, one whole process.

python -m bench.peers.rereading PARQUET OUT MINUTES
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from airflow_nrt.engine.java.finding import ensure_java


def main() -> None:
    data, out, minutes = sys.argv[1:]
    ensure_java()
    settings = {"spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false", "spark.driver.memory": "2g"}
    builder = SparkSession.builder.master("local[2]").config("spark.sql.session.timeZone", "UTC")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.read.parquet(data).createOrReplaceTempView("orders")
    spark.sql(
        f"""SELECT item_id, sum(price) AS sales, count(*) AS orders, count(DISTINCT user_id) AS buyers FROM orders
        WHERE hh <= {(int(minutes) - 1) // 60} AND pay_time < TIMESTAMP '2024-06-18' + INTERVAL '{minutes}' MINUTE
        GROUP BY item_id"""
    ).write.mode("overwrite").parquet(out)
    spark.stop()


if __name__ == "__main__":
    main()
