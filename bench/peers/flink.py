"""The report in Flink, as one job in an embedded cluster. Runs in an environment of its own, with `apache-flink`.

python flink.py --data DIR --out DIR --windows SQL … [--set KEY=VALUE ...]
"""

from __future__ import annotations

import argparse

from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment

SETTINGS = {
    "parallelism.default": "2",
    "taskmanager.numberOfTaskSlots": "2",
    "taskmanager.memory.managed.size": "1g",
    "pipeline.object-reuse": "true",
    "rest.port": "0",
    "rest.bind-port": "0",
    "rest.bind-address": "127.0.0.1",
    "table.local-time-zone": "UTC",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="a directory of csv files, each in the order of the day")
    parser.add_argument("--out", required=True)
    parser.add_argument("--windows", required=True)
    parser.add_argument("--aggregates", required=True)
    parser.add_argument("--columns", required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    tables = environment(dict(setting.split("=", 1) for setting in options.set))
    for statement in (
        f"CREATE TABLE orders ({options.columns}, WATERMARK FOR pay_time AS pay_time - INTERVAL '30' SECOND) WITH "
        f"('connector' = 'filesystem', 'path' = 'file://{options.data}', 'format' = 'csv')",
        f"CREATE TABLE sales ({options.results}) WITH "
        f"('connector' = 'filesystem', 'path' = 'file://{options.out}', 'format' = 'csv')",
    ):
        tables.execute_sql(statement)
    tables.execute_sql(
        f"INSERT INTO sales SELECT item_id, window_start, window_end, {options.aggregates} "
        f"FROM TABLE({options.windows}) GROUP BY item_id, window_start, window_end"
    ).wait()


def environment(more: dict[str, str]) -> TableEnvironment:
    """An embedded cluster with these settings besides the usual ones."""
    configuration = Configuration()
    for key, value in {**SETTINGS, **more}.items():
        configuration.set_string(key, value)
    return TableEnvironment.create(EnvironmentSettings.new_instance().with_configuration(configuration).build())


if __name__ == "__main__":
    main()
