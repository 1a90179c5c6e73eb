"""Spark's own streaming aggregation: `window()` over ten minutes, a micro-batch for each file, one whole process.

python -m bench.peers.spark_window CSV OUT CHECKPOINT
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from airflow_nrt.engine.java.finding import ensure_java
from bench.reports import COLUMNS


def main() -> None:
    data, out, checkpoint = sys.argv[1:]
    ensure_java()
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    schema = COLUMNS.replace("TIMESTAMP(3)", "TIMESTAMP")
    orders = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).csv(data)
    totals = (
        orders.withWatermark("pay_time", "30 seconds")
        .groupBy("item_id", F.window("pay_time", "10 minutes"))
        .agg(F.sum("price").alias("sales"), F.count(F.lit(1)).alias("orders"))
        .select("item_id", "window.*", "sales", "orders")
        .withColumnsRenamed({"start": "window_start", "end": "window_end"})
    )
    query = (
        totals.writeStream.format("parquet")
        .option("path", out)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
