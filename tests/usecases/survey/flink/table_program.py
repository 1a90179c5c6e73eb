from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.table.window import Tumble

t_env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
t_env.execute_sql("""
    CREATE TABLE orders (shop STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
    WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json')
""")
hourly = (
    t_env.from_path("orders")
    .window(Tumble.over(lit(1).hours).on(col("ts")).alias("w"))
    .group_by(col("w"), col("shop"))
    .select(col("shop"), col("w").end, col("amount").sum.alias("total"))
)
hourly.execute().print()
