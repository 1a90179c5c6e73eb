from airflow_nrt.table import col


def build(t_env):
    t_env.execute_sql("""
        CREATE TABLE orders (shop STRING, amount DECIMAL(10, 2))
        WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');
        CREATE TABLE dear (shop STRING, amount DECIMAL(10, 2))
        WITH ('connector' = 'filesystem', 'path' = '/data/dear', 'format' = 'json')
    """)
    orders = t_env.from_path("orders")
    orders.where(col("amount") > 100).select(col("shop"), col("amount")).execute_insert("dear")
