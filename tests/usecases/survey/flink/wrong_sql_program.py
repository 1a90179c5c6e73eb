import logging
import sys

from pyflink.table import EnvironmentSettings, TableEnvironment


def main(output: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("table.local-time-zone", "Europe/Berlin")
    t_env.execute_sql("""
        CREATE TABLE orders (shop STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
        WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json')
    """)
    t_env.execute_sql(f"""
        CREATE TABLE totals (shop STRING, window_end TIMESTAMP(3), total DECIMAL(38, 2))
        WITH ('connector' = 'filesystem', 'path' = '{output}', 'format' = 'json')
    """)
    t_env.execute_sql("""
        INSERT INTO totals SELECT shop, window_end, SUM(amuont)
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))
        GROUP BY shop, window_start, window_end
    """).wait()


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, level=logging.INFO)
    main("/data/totals")
