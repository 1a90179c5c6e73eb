"""A table of a lakehouse to which somebody appends, and a report over it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import rows_of
from tests.engine.sinks.lakehouse.reports import Format, table_of


@dataclass(frozen=True)
class Orders:
    """The table, partitioned by shop. The report runs whenever a test asks, each time by a driver of its own."""

    spark: SparkSession
    lake: Format
    place: Path
    options: str = ""
    columns: str = "shop INT, price INT, ts TIMESTAMP(3)"

    @property
    def plan(self) -> Plan:
        script = f"""
            CREATE TABLE orders ({self.columns}, WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE)
            WITH ('connector' = '{self.lake.name}', {self.lake.options.format(table="orders")}{self.options},
              'source.monitor-interval' = '100 ms');
            CREATE TABLE sums (shop INT, window_end TIMESTAMP(3), gmv BIGINT)
            WITH ('connector' = 'filesystem', 'path' = 'sums', 'format' = 'parquet');
            INSERT INTO sums SELECT shop, window_end, CAST(SUM(price) AS BIGINT)
            FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
            GROUP BY shop, window_start, window_end;
        """
        return plan_script(script, {}, "sums", self.place)

    @property
    def table(self) -> LakeTable:
        columns, query = "shop INT, price INT, ts TIMESTAMP(3)", "SELECT shop, price, ts FROM orders"
        return table_of(self.spark, self.lake.plan(self.place, "orders", columns, query, "PARTITIONED BY (shop)"))

    @property
    def home(self) -> Home:
        return Home.create(self.place / "home", self.plan)

    def create(self) -> Orders:
        self.table.create("shop INT, price INT, ts TIMESTAMP_NTZ", {"made.by": "somebody"})
        return self

    def add(self, *orders: tuple[int, int, str]) -> None:
        """One commit of somebody."""
        given = [(shop, price, f"2024-06-18 {at}") for shop, price, at in orders]
        rows = self.spark.createDataFrame(given, "shop INT, price INT, ts STRING")
        rows.selectExpr("shop", "price", "CAST(ts AS TIMESTAMP_NTZ) AS ts").createOrReplaceTempView("added")
        self.change("INSERT INTO {} (shop, price, ts) SELECT shop, price, ts FROM added")

    def change(self, sql: str) -> None:
        self.spark.sql(sql.format(self.table.sql_name))

    def compact(self) -> None:
        """Puts the rows of each partition into one file."""
        if self.lake.name == "delta":
            self.change("OPTIMIZE {}")
            return
        catalog, _, rest = self.table.name.partition(".")
        rewrite = f"CALL {catalog}.system.rewrite_data_files(table => '{rest}', options => map('rewrite-all', 'true'))"
        self.spark.sql(rewrite).collect()

    def forget(self) -> None:
        """Removes all that only older versions need, and from the history these versions."""
        if self.lake.name == "delta":
            # A checkpoint, without which Delta can't do without the older part of its log.
            self.change("ALTER TABLE {} SET TBLPROPERTIES ('delta.checkpointInterval' = '1')")
            place = Path(self.table.name)
            needed = {Path(file).name for file in self.table.rows().inputFiles()}
            older = sorted(place.glob("_delta_log/*.json"))[:-1]
            for file in (*older, *(file for file in place.rglob("*.parquet") if file.name not in needed)):
                if file in older or file.parent.name != "_delta_log":
                    file.unlink()
            return
        catalog, _, rest = self.table.name.partition(".")
        of_all = "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1"
        self.spark.sql(f"CALL {catalog}.system.expire_snapshots(table => '{rest}', {of_all})").collect()

    def run(self) -> list[tuple[str, int, int]]:
        """Reads what is there; gives the results: window, shop, sum."""
        Runner(self.spark, self.plan, self.home, available_now=True).run()
        return sorted((f"{end:%H:%M}", shop, gmv) for shop, end, gmv in rows_of(self.place / "sums"))

    def rows_read(self) -> list[int]:
        return [one.body.rows for one in self.home.log().audit() if isinstance(one.body, Commit)]
