"""A report in Python with a function of rows."""

from airflow_nrt.table import DataTypes, TableEnvironment, Tumble, col, lit, udf


@udf(result_type=DataTypes.BIGINT())  # type: ignore[untyped-decorator]
def doubled(value: int) -> int:
    return 2 * value


def build(t_env: TableEnvironment) -> None:
    t_env.execute_sql("""
        CREATE TABLE orders (price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
        WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
        CREATE TABLE totals (e TIMESTAMP(3), total BIGINT)
        WITH ('connector' = 'filesystem', 'path' = 'totals', 'format' = 'json');
    """)
    window = Tumble.over(lit(10).minutes).on(col("ts")).alias("w")
    totals = t_env.from_path("orders").window(window).group_by(col("w"))
    totals.select(col("w").end, doubled(col("price")).sum).execute_insert("totals")
