"""What other writers of a table of Iceberg do while a driver publishes into it, and between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.sinks.lakehouse.iceberg import IcebergTable
from airflow_nrt.engine.sinks.lakehouse.lake_table import Mark
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import arrive
from tests.engine.sinks.lakehouse.reports import Format, curve, entries, rows, table_of

FIRST = ((1, 5, "10:01:00"), (2, 7, "10:02:00"), (1, 1, "10:12:00"))


def compact(spark, plan: Plan) -> None:
    """Makes one file of all, and forgets everything before: the hardest that maintenance can do."""
    catalog, _, rest = table_of(spark, plan).name.partition(".")
    rewrite = f"CALL {catalog}.system.rewrite_data_files(table => '{rest}', options => map('rewrite-all', 'true'))"
    spark.sql(rewrite).collect()
    of_all = "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1"
    spark.sql(f"CALL {catalog}.system.expire_snapshots(table => '{rest}', {of_all})").collect()


def before_moving(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    """Once, when a commit is prepared and not visible yet."""
    move = IcebergTable._move

    def after(*given: Any) -> bool:
        monkeypatch.setattr(IcebergTable, "_move", move)
        do()
        return move(*given)

    monkeypatch.setattr(IcebergTable, "_move", after)


def branches(spark, plan: Plan) -> list[str]:
    name = table_of(spark, plan).sql_name
    return [row.name for row in spark.sql(f"SELECT name FROM {name}.refs").collect() if row.name != "main"]


def test_a_table_that_is_compacted(spark, iceberg: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two entries, and while one is published."""
    plan = iceberg.plan(tmp_path, "compacted")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", *FIRST), source="orders")
    compact(spark, plan)
    before_moving(monkeypatch, lambda: compact(spark, plan))
    stream.absorb(arrive(tmp_path, "1", (1, 3, "10:13:00"), (1, 9, "10:22:30")), source="orders")
    assert [(end, shop, n) for end, shop, n, _ in curve(spark, plan)] == [
        ("10:10", 1, 1),
        ("10:10", 2, 1),
        ("10:20", 1, 3),
        ("10:20", 2, 1),
    ]
    assert verify(spark, plan, stream.home).is_proven
    assert Stream(spark, plan, tmp_path / "home").home.log().last > 0


def test_two_that_publish_one_entry(spark, iceberg: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that was frozen before its commit, and its successor."""
    plan = iceberg.plan(tmp_path, "twice", "shop INT, price INT", "SELECT shop, price FROM orders")
    stream = Stream(spark, plan, tmp_path / "home")

    def successor() -> None:
        before_moving(monkeypatch, lambda: None)
        publish_entry(spark, stream.home, plan, stream.entries[-1])

    before_moving(monkeypatch, successor)
    stream.absorb(arrive(tmp_path, "0", *FIRST), source="orders")
    assert rows(spark, plan, "shop", "price") == [(1, 1), (1, 5), (2, 7)]
    assert branches(spark, plan) == []


def test_a_branch_of_a_killed_driver_is_removed(
    spark, iceberg: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = iceberg.plan(tmp_path, "killed", "shop INT, price INT", "SELECT shop, price FROM orders")
    stream = Stream(spark, plan, tmp_path / "home")

    class Killed(BaseException):
        pass

    def die(*given: Any) -> None:
        raise Killed

    stream.absorb(arrive(tmp_path, "0", *FIRST), source="orders")
    with monkeypatch.context() as dying, pytest.raises(Killed):
        dying.setattr(IcebergTable, "_move", die)
        dying.setattr(IcebergTable, "_drop", lambda *given: None)
        stream.absorb(arrive(tmp_path, "1", (3, 1, "10:13:00")), source="orders")
    assert len(branches(spark, plan)) == 1 and rows(spark, plan, "shop") == [(1,), (1,), (2,)]
    Stream(spark, plan, tmp_path / "home")
    assert rows(spark, plan, "shop") == [(1,), (1,), (2,), (3,)] and branches(spark, plan) == []


def test_a_rollback_is_a_commit_of_others(spark, iceberg: Format, tmp_path: Path) -> None:
    plan = iceberg.plan(tmp_path, "rolled", "shop INT, price INT", "SELECT shop, price FROM orders")
    table = table_of(spark, plan)
    table.create("shop INT, price INT", {"made.by": "a test"})
    for n in (3, 5):
        table.append(spark.createDataFrame([(n, n)], "shop INT, price INT"), Mark("a/Writer", n))
    assert entries(spark, plan, "a/Writer") == [5, 3] and entries(spark, plan, "another") == [None, None]
    past = table.past("a/Writer")
    assert past is not None and past.version_of(4) == list(past.commits())[1].made.version
    catalog, _, rest = table.name.partition(".")
    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('{rest}', {past.version_of(4)})").collect()
    assert entries(spark, plan, "a/Writer") == [None, 5, 3]


OPTIONS = {
    "another type": ("'catalog-type' = 'hive'", "'hive' is not there: catalogs of type 'hadoop' and 'jdbc'"),
    "a server": (
        "'catalog-type' = 'hadoop', 'warehouse' = 'x', 'uri' = 'thrift://metastore:9083'",
        "'uri' is of another type of catalogs",
    ),
    "no database": ("'catalog-type' = 'jdbc', 'warehouse' = 'x'", "needs the option 'uri'"),
    "another database": (
        "'catalog-type' = 'jdbc', 'warehouse' = 'x', 'uri' = 'jdbc:oracle:thin:@db'",
        "has the form 'jdbc:postgresql://host:5432/database'",
    ),
    "no type": ("", "needs the option 'catalog-type'"),
    "no warehouse": ("'catalog-type' = 'hadoop'", "needs the option 'warehouse'"),
    "no name": ("'catalog-name' = 'a-b', 'catalog-type' = 'hadoop'", "'a-b' is no name of a catalog"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_catalogs_that_are_not_there(tmp_path: Path, name: str) -> None:
    options, expected = OPTIONS[name]
    named = options if "catalog-name" in options else f"'catalog-name' = 'lake'{options and ', '}{options}"
    with pytest.raises(InputError) as wrong:
        Format("iceberg", named).plan(tmp_path, "curve")
    assert expected in str(wrong.value)


def test_a_session_begins_with_the_catalog(tmp_path: Path) -> None:
    options = "'catalog-name' = 'lake', 'catalog-type' = 'hadoop', 'warehouse' = 'house'"
    settings = Format("iceberg", options).plan(tmp_path, "curve").spark_settings
    assert settings["spark.sql.catalog.lake"] == "org.apache.iceberg.spark.SparkCatalog"
    assert settings["spark.sql.catalog.lake.warehouse"] == str(tmp_path / "house")
