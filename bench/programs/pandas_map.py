"""A function of rows as pandas objects: one line of work."""

from __future__ import annotations

import pandas as pd

try:
    from pyflink.table import DataTypes
    from pyflink.table.expressions import col
    from pyflink.table.udf import udf
except ImportError:  # not in an environment of PyFlink
    from airflow_nrt.table import DataTypes, col, udf

GROSS = DataTypes.ROW([DataTypes.FIELD("item_id", DataTypes.INT()), DataTypes.FIELD("sales", DataTypes.DOUBLE())])


@udf(result_type=GROSS, func_type="pandas")
def gross(orders):
    return pd.concat([orders.item_id, orders.user_id * 1.25], axis=1)


def build(t_env):
    t_env.execute_sql(
        "CREATE TABLE orders (${COLUMNS}, WATERMARK FOR pay_time AS pay_time - INTERVAL '30' SECOND) ${SOURCE}"
    )
    t_env.execute_sql("CREATE TABLE results (item_id INT, sales DOUBLE) ${SINK}")
    return t_env.from_path("orders").select(col("item_id"), col("user_id")).map(gross).execute_insert("results")
