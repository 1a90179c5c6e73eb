"""An aggregate in Python, whose partials merge, over windows."""

from __future__ import annotations

try:
    from pyflink.common import Row
    from pyflink.table import AggregateFunction, DataTypes
    from pyflink.table.udf import udaf
except ImportError:  # not in an environment of PyFlink
    from airflow_nrt.table import AggregateFunction, DataTypes, Row, udaf

PAIR = DataTypes.ROW([DataTypes.FIELD("total", DataTypes.BIGINT()), DataTypes.FIELD("n", DataTypes.BIGINT())])


class Mean(AggregateFunction):
    def create_accumulator(self):
        return Row(0, 0)

    def accumulate(self, accumulator, value):
        accumulator[0] += value
        accumulator[1] += 1

    def merge(self, accumulator, others):
        for other in others:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator):
        return accumulator[0] // accumulator[1] if accumulator[1] else None

    def get_accumulator_type(self):
        return PAIR

    def get_result_type(self):
        return DataTypes.BIGINT()


def build(t_env):
    t_env.execute_sql(
        "CREATE TABLE orders (${COLUMNS}, WATERMARK FOR pay_time AS pay_time - INTERVAL '30' SECOND) ${SOURCE}"
    )
    t_env.execute_sql(
        "CREATE TABLE results (item_id INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), mean BIGINT) ${SINK}"
    )
    t_env.create_temporary_function("mean", udaf(Mean()))
    return t_env.execute_sql("INSERT INTO results SELECT ${QUERY}")
