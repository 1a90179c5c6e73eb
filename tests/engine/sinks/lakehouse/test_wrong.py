"""What is wrong with a table of a lakehouse: said at once, with the way out, before anything is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.lakehouse.explained_errors import explained
from airflow_nrt.home.home import Home
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, arrive
from tests.engine.sinks.jdbc.test_wrong import KEYLESS, OF_HOURS, OF_SESSIONS
from tests.engine.sinks.lakehouse.reports import Format, table_of

OTHERS = {
    "no column": ("shop INT, window_end TIMESTAMP_NTZ, n BIGINT", "has no column 'gmv'; it has shop, window_end, n"),
    "a narrow type": (
        "shop INT, window_end TIMESTAMP_NTZ, n INT, gmv DECIMAL(20, 2)",
        "its column 'n' is INT, the report writes BIGINT: CAST the value, or change the column",
    ),
    "few digits": (
        "shop INT, window_end TIMESTAMP_NTZ, n BIGINT, gmv DECIMAL(20, 1)",
        "its column 'gmv' is DECIMAL(20,1), the report writes DECIMAL(20, 2)",
    ),
    "a column that needs a value": (
        "shop INT, window_end TIMESTAMP_NTZ, n BIGINT, gmv DECIMAL(20, 2), note STRING NOT NULL",
        "its column 'note' is NOT NULL, and the report does not write it: declare it",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_columns_that_do_not_fit(spark, lake: Format, tmp_path: Path, name: str) -> None:
    columns, expected = OTHERS[name]
    plan = lake.plan(tmp_path, "other", create=False)
    table_of(spark, plan).create(columns, {"made.by": "somebody"})
    with pytest.raises(InputError) as wrong:
        Stream(spark, plan, tmp_path / "home")
    assert expected in str(wrong.value)
    assert Home.at(tmp_path / "home").log().last == -1


def test_no_table(spark, lake: Format, tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        Stream(spark, lake.plan(tmp_path, "missing", create=False), tmp_path / "home")
    said = str(wrong.value)
    assert "missing: create it, or set 'sink.create-table' = 'true'. Its columns would be: `shop` INT" in said


def test_a_table_of_another_home(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "taken")
    one = Stream(spark, plan, tmp_path / "one")
    with pytest.raises(InputError, match=r"another home publishes to table .*remove the property 'airflow-nrt\.home'"):
        Stream(spark, plan, tmp_path / "two")
    sink_of(plan.inserts[0]).release(spark, one.home, plan.inserts[0])
    Stream(spark, plan, tmp_path / "two")
    sink_of(plan.inserts[0]).release(spark, one.home, plan.inserts[0])
    with pytest.raises(InputError, match=r"another home publishes to table"):
        Stream(spark, plan, tmp_path / "one")


def test_a_home_that_is_an_older_copy(spark, lake: Format, tmp_path: Path) -> None:
    """Its next entries would have numbers that the table has already: Delta would drop them without a word."""
    plan = lake.plan(tmp_path, "copied")
    Stream(spark, plan, tmp_path / "home")
    shutil.copytree(tmp_path / "home", tmp_path / "older")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 1, "10:12:00")), source="orders")
    with pytest.raises(InputError, match="the home is an older copy of itself"):
        Stream(spark, plan, tmp_path / "older")


def test_files_that_are_no_table(spark, delta: Format, tmp_path: Path) -> None:
    (tmp_path / "lake" / "files").mkdir(parents=True)
    (tmp_path / "lake" / "files" / "a.csv").write_text("1,2\n")
    with pytest.raises(InputError, match="is not empty, and is no table of Delta: correct 'table-path'"):
        Stream(spark, delta.plan(tmp_path, "files"), tmp_path / "home")


def test_a_home_inside_of_the_table(spark, lake: Format, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is inside of its '.*': put the home elsewhere"):
        Stream(spark, lake.plan(tmp_path, "outer"), tmp_path / "lake" / "outer" / "home")


def test_jars_of_another_spark(spark, lake: Format, tmp_path: Path) -> None:
    """As the newest Spark says it, where Delta for 4.1 runs on it."""
    plan = lake.plan(tmp_path, "misfit")
    with pytest.raises(InputError) as wrong, explained(plan.inserts[0].sink):
        spark._jvm.java.lang.Class.forName("org.apache.spark.sql.NoSuchClass")
    assert f"`airflow-nrt prepare {lake.name}` fetches fitting ones" in str(wrong.value)


PLANNED = {
    "no window_end": (
        {"columns": "shop INT, n BIGINT", "query": OF_HOURS},
        "the table needs a column with their window_end: SELECT it",
    ),
    "a key without it": (
        {"columns": CURVE.replace("(shop, window_end)", "(shop)")},
        "PRIMARY KEY (shop, window_end) NOT ENFORCED",
    ),
    "a misspelt option": ({"sink_create__tabel": "x"}, "did you mean 'sink.create-table'?"),
    "sessions": ({"query": OF_SESSIONS}, "in a table of {name}: not there yet; write them into files"),
    "two inserts": (
        {"columns": KEYLESS, "query": f"{COUNTS}; INSERT INTO curve {COUNTS}"},
        "another INSERT writes into",
    ),
    "a time of day": (
        {"columns": "shop INT, at TIME(3)", "query": "SELECT shop, CAST(ts AS TIME(3)) FROM orders"},
        "TIME in a table of {name}: not there yet; declare it as STRING, and CAST the value",
    ),
    "changes without a key": (
        {"columns": "shop INT, n BIGINT", "query": "SELECT shop, COUNT(*) FROM orders GROUP BY shop"},
        "PRIMARY KEY",
    ),
}


@pytest.mark.parametrize("name", PLANNED)
def test_before_it_runs(lake: Format, tmp_path: Path, name: str) -> None:
    changed, expected = PLANNED[name]
    with pytest.raises(InputError) as wrong:
        lake.plan(tmp_path, "curve", **changed)
    assert expected.format(name=lake.name) in str(wrong.value)
