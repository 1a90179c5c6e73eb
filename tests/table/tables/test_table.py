# ruff: noqa: E501 (a row of a table is one line)
"""Tables: the plan is the one that SQL gives, names are PyFlink's, and mistakes are told where they are made."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_query
from airflow_nrt.table import (
    CURRENT_ROW,
    UNBOUNDED_RANGE,
    Cumulate,
    DataTypes,
    EnvironmentSettings,
    Over,
    OverWindowedTable,
    Session,
    SessionRows,
    Slide,
    SlideRows,
    Table,
    TableEnvironment,
    TimeIntervalUnit,
    Tumble,
    TumbleRows,
    call,
    call_sql,
    coalesce,
    col,
    concat,
    if_then_else,
    lit,
    null_of,
    row_interval,
    udf,
)

DDL = """
CREATE TABLE orders (ts TIMESTAMP(3), shop STRING, price INT, note STRING, pt AS PROCTIME(),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE visits (at TIMESTAMP(3), place STRING,
    WATERMARK FOR at AS at - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = 'visits', 'format' = 'csv');
"""
BASE = Path("/data")


@pytest.fixture
def environment() -> TableEnvironment:
    environment = TableEnvironment(base=BASE)
    environment.execute_sql(DDL)
    return environment


@pytest.fixture
def orders(environment: TableEnvironment) -> Table:
    return environment.from_path("orders")


def by_window(orders: Table, window) -> Table:
    prices = col("price").sum.alias("total"), col("shop").count.distinct.alias("shops")
    return orders.window(window.alias("w")).group_by(col("w"), col("shop")).select(
        col("shop"), col("w").start.alias("ws"), col("w").end.alias("we"), *prices
    )  # fmt: skip


GROUPED = (
    "SELECT shop, {0}_START(ts, {1}) AS ws, {0}_END(ts, {1}) AS we, SUM(price) AS total, COUNT(DISTINCT shop) AS shops "
    "FROM orders GROUP BY {0}(ts, {1}), shop"
)
SAME = {
    "a filter and a projection": (
        lambda t: t.where(col("price") > 3).where(~col("note").like("x%")).select(col("shop"), (col("price") * 2).alias("d")),
        "SELECT shop, price * 2 AS d FROM orders WHERE price > 3 AND NOT note LIKE 'x%'",
    ),
    "tumble": (lambda t: by_window(t, Tumble.over(lit(10).minutes).on(col("ts"))), GROUPED.format("TUMBLE", "INTERVAL '10' MINUTE")),
    "slide": (
        lambda t: by_window(t, Slide.over(lit(1).hours).every(lit(15).minutes).on(col("ts"))),
        GROUPED.format("HOP", "INTERVAL '15' MINUTE, INTERVAL '1' HOUR"),
    ),
    "cumulate": (
        lambda t: by_window(t, Cumulate.over(lit(1).days).step(lit(10).minutes).on(col("ts"))),
        "SELECT shop, window_start AS ws, window_end AS we, SUM(price) AS total, COUNT(DISTINCT shop) AS shops FROM "
        "TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' DAY)) "
        "GROUP BY window_start, window_end, shop",
    ),
    "session": (lambda t: by_window(t, Session.with_gap(lit(10).seconds).on(col("ts"))), GROUPED.format("SESSION", "INTERVAL '10' SECOND")),
    "a cascade": (
        lambda t: t.window(Tumble.over(lit(5).seconds).on(col("ts")).alias("w")).group_by(col("w"), col("shop"))
        .select(col("shop"), col("w").rowtime.alias("rt"), col("price").max.alias("top"))
        .window(Tumble.over(lit(1).minutes).on(col("rt")).alias("v")).group_by(col("v"))
        .select(col("v").end.alias("we"), col("top").avg.alias("a")),
        "SELECT TUMBLE_END(rt, INTERVAL '1' MINUTE) AS we, AVG(top) AS a FROM (SELECT shop, "
        "TUMBLE_ROWTIME(ts, INTERVAL '5' SECOND) AS rt, MAX(price) AS top FROM orders "
        "GROUP BY TUMBLE(ts, INTERVAL '5' SECOND), shop) GROUP BY TUMBLE(rt, INTERVAL '1' MINUTE)",
    ),
    "row windows": (
        lambda t: t.over_window(
            Over.partition_by(col("shop")).order_by(col("ts")).preceding(row_interval(2)).following(CURRENT_ROW).alias("a"),
            Over.order_by(col("ts")).preceding(UNBOUNDED_RANGE).alias("b"),
        ).select(col("shop"), col("price").sum.over(col("a")).alias("x"), col("price").max.over(col("b")).alias("y")),
        "SELECT shop, SUM(price) OVER (PARTITION BY shop ORDER BY ts ROWS 2 PRECEDING) AS x, "
        "MAX(price) OVER (ORDER BY ts RANGE UNBOUNDED PRECEDING) AS y FROM orders",
    ),
    "row windows around": (
        lambda t: t.over_window(
            SlideRows.partition_by(col("shop")).preceding(lit(90).seconds).following(lit(5).minutes).on(col("ts")).alias("a"),
            SlideRows.unbounded_preceding.following(lit(1).hours).on(col("ts")).alias("b"),
        ).select(col("shop"), col("price").sum.over(col("a")).alias("x"), col("price").max.over(col("b")).alias("y")),
        "SELECT shop, SUM(price) OVER (PARTITION BY shop ORDER BY ts RANGE BETWEEN INTERVAL '90' SECOND PRECEDING AND "
        "INTERVAL '5' MINUTE FOLLOWING) AS x, MAX(price) OVER (ORDER BY ts RANGE BETWEEN UNBOUNDED PRECEDING AND "
        "INTERVAL '1' HOUR FOLLOWING) AS y FROM orders",
    ),
    "row windows around, of rows": (
        lambda t: t.over_window(
            SlideRows.partition_by(col("shop")).preceding(row_interval(2)).following(row_interval(1)).on(col("ts")).alias("a"),
            SlideRows.partition_by(col("shop")).unbounded_preceding.following(row_interval(3)).on(col("ts")).alias("b"),
        ).select(col("shop"), col("price").sum.over(col("a")).alias("x"), col("price").max.over(col("b")).alias("y")),
        "SELECT shop, SUM(price) OVER (w ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS x, MAX(price) OVER (w ROWS BETWEEN "
        "UNBOUNDED PRECEDING AND 3 FOLLOWING) AS y FROM orders WINDOW w AS (PARTITION BY shop ORDER BY ts)",
    ),
    "row windows that begin anew": (
        lambda t: t.over_window(
            TumbleRows.partition_by(col("shop")).over(lit(90).seconds).on(col("ts")).alias("w")
        ).select(col("shop"), col("price").sum.over(col("w")).alias("x")),
        "SELECT shop, SUM(price) OVER (PARTITION BY shop, FLOOR(EXTRACT(EPOCH FROM CAST(ts AS TIMESTAMP(3))) / "
        "CAST(90 AS DOUBLE)) ORDER BY ts RANGE INTERVAL '90' SECOND PRECEDING) AS x FROM orders",
    ),
    "a join of rows that are near in time": (
        lambda t: t.join(t.environment.from_path("visits"), (col("shop") == col("place")) & (col("ts") >= col("at") - lit(5).minutes) & (col("ts") < col("at")))
        .select(col("shop"), col("price")),
        "SELECT shop, price FROM orders JOIN visits ON shop = place AND ts >= `at` - INTERVAL '5' MINUTE AND ts < `at`",
    ),
    "a join of filtered rows that are near in time": (
        lambda t: t.where(col("price") > 3).select(col("shop"), col("ts")).rename_columns(col("ts").alias("t"))
        .join(t.environment.from_path("visits"), (col("shop") == col("place")) & (col("t") == col("at"))).select(col("shop"), col("at")),
        "SELECT shop, `at` FROM (SELECT shop, ts AS t FROM (SELECT shop, ts FROM orders WHERE price > 3)) "
        "JOIN visits ON shop = place AND t = `at`",
    ),
    "groups without a window": (
        lambda t: t.group_by(col("shop"), (col("price") > 5).alias("dear")).select(col("shop"), col("dear"), lit(1).count.alias("n"))
        .where(col("n") > 1),
        "SELECT * FROM (SELECT shop, price > 5 AS dear, COUNT(1) AS n FROM orders GROUP BY shop, price > 5) WHERE n > 1",
    ),
    "a key under the name of a column": (
        lambda t: t.group_by(col("note").upper_case.alias("note"), (col("price") / 100).alias("price"))
        .select(col("note"), col("price") + 1, col("note").count.distinct.alias("n"), (col("price").sum + col("price")).alias("s")),
        "SELECT UPPER(note) AS note, price / 100 + 1 AS _c1, COUNT(DISTINCT note) AS n, SUM(price) + price / 100 AS s "
        "FROM orders GROUP BY UPPER(note), price / 100",
    ),
    "a key under the name of a column in windows": (
        lambda t: t.window(Tumble.over(lit(5).seconds).on(col("ts")).alias("w")).group_by(col("w"), (col("price") / 100).alias("price"))
        .select(col("w").end.alias("we"), col("price"), col("price").sum.alias("s")),
        "SELECT TUMBLE_END(ts, INTERVAL '5' SECOND) AS we, price / 100 AS price, SUM(price) AS s FROM orders "
        "GROUP BY TUMBLE(ts, INTERVAL '5' SECOND), price / 100",
    ),
    "distinct": (lambda t: t.select(col("shop")).distinct(), "SELECT DISTINCT * FROM (SELECT shop FROM orders)"),
    "the first of all": (
        lambda t: t.select(col("shop"), col("price")).order_by(col("price").desc).fetch(3),
        "SELECT shop, price FROM orders ORDER BY price DESC NULLS FIRST LIMIT 3",
    ),
    "some behind others": (
        lambda t: t.select(col("shop"), col("price")).order_by(col("price").desc).limit(3, offset=2),
        "SELECT shop, price FROM orders ORDER BY price DESC NULLS FIRST LIMIT 3 OFFSET 2",
    ),
    "rows that stand twice": (
        lambda t: t.select(col("shop")).minus_all(t.select(col("note")).intersect_all(t.select(col("shop")))),
        "SELECT shop FROM orders EXCEPT ALL (SELECT note FROM orders INTERSECT ALL SELECT shop FROM orders)",
    ),
    "in another table": (
        lambda t: t.where(col("shop").in_(t.environment.from_path("visits").select(col("place")))).select(col("shop")),
        "SELECT shop FROM orders WHERE shop IN (SELECT place FROM visits)",
    ),
    "set operations": (
        lambda t: t.select(col("shop")).minus(t.select(col("note"))).intersect(t.select(col("note")).union(t.select(col("shop")))),
        "(SELECT shop FROM orders EXCEPT SELECT note FROM orders) INTERSECT (SELECT note FROM orders UNION SELECT shop FROM orders)",
    ),
    "a join": (
        lambda t: t.join(t.environment.from_path("visits"), col("shop") == col("place")).select(col("shop"), col("at")),
        "SELECT shop, at FROM orders JOIN visits ON shop = place",
    ),
    "a join whose condition follows": (
        lambda t: t.join(t.environment.from_path("visits")).where(col("shop") == col("place")).where(col("price") > 3).select(col("shop"), col("at")),
        "SELECT shop, at FROM orders JOIN visits ON TRUE WHERE shop = place AND price > 3",
    ),
    "expressions": (
        lambda t: t.select(
            if_then_else(col("price").between(1, 5), "low", "high").alias("a"), coalesce(col("note"), concat(col("shop"), "!")).alias("b"),
            col("ts").floor(TimeIntervalUnit.HOUR).alias("c"), (col("price") / 2.5).alias("d"), (-col("price") % 7).alias("e"),
            col("price").cast(DataTypes.BIGINT()).alias("f"), null_of(DataTypes.DATE()).alias("g"), col("note").substring(2, 3).alias("h"),
            (col("shop").in_("a", "b") | col("note").is_null).alias("i"), call_sql("UPPER(shop) || '?'").alias("j"),
            (col("ts") + lit(90).seconds).alias("k"), col("shop").trim_leading().alias("l"),
        ),
        "SELECT CASE WHEN price BETWEEN 1 AND 5 THEN 'low' ELSE 'high' END AS a, COALESCE(note, CONCAT(shop, '!')) AS b, "
        "FLOOR(ts TO HOUR) AS c, price / 2.5E0 AS d, -price % 7 AS e, CAST(price AS BIGINT) AS f, CAST(NULL AS DATE) AS g, "
        "SUBSTRING(note, 2, 3) AS h, shop IN ('a', 'b') OR note IS NULL AS i, UPPER(shop) || '?' AS j, "
        "ts + INTERVAL '90' SECOND AS k, TRIM(LEADING FROM shop) AS l FROM orders",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SAME)
def test_the_plan_is_that_of_sql(orders: Table, what: str) -> None:
    program, query = SAME[what]
    ours, sqls = orders.environment.plan_of(program(orders)), plan_query(DDL, query, BASE)
    for part in ("sources", "operators", "regroups", "updating", "inserts"):
        assert getattr(ours, part) == getattr(sqls, part)


def test_columns_without_an_alias_are_named_as_in_pyflink(orders: Table) -> None:
    total = orders.select(
        col("price").sum, col("price").avg.alias("a"), col("shop").count.distinct, col("price").max + 1
    )
    assert total.get_schema().get_field_names() == ["EXPR$0", "a", "EXPR$2", "_c3"]
    plain = orders.select(col("shop"), col("price") + 1, col("price").cast(DataTypes.STRING()), lit(1))
    assert plain.get_schema().get_field_names() == ["shop", "_c1", "price-STRING", "_c3"]
    beside = orders.select(lit(1), col("*"), col("price") + 1)
    assert beside.get_schema().get_field_names() == ["_c0", "ts", "shop", "price", "note", "pt", "_c6"]


def test_a_column_is_an_attribute_of_its_table(orders: Table) -> None:
    assert orders.select(orders.shop, orders.price + 1).get_schema().get_field_names() == ["shop", "_c1"]
    with pytest.raises(AttributeError, match="no column, 'prize'; did you mean 'price'"):
        orders.prize
    with pytest.raises(AttributeError, match="no column, 'fetsch'"):
        orders.order_by(col("note")).fetsch


def test_settings_are_built_as_in_pyflink() -> None:
    built = EnvironmentSettings.new_instance().in_batch_mode().build()
    assert TableEnvironment.create(built).mode == "batch"


def test_pandas_has_numbers_and_dates(orders: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    fields = lit(Decimal("1.50")).alias("d"), col("ts").cast(DataTypes.DATE()).alias("day"), col("ts")
    rows = [
        {"d": "1.50", "day": "2024-03-01", "ts": "2024-03-01 10:05:00.000"},
        {"d": None, "day": None, "ts": None},
    ]
    result = orders.select(*fields).execute()
    monkeypatch.setattr(result, "rows", lambda: rows)
    frame = result.to_pandas()
    assert (frame["d"][0], frame["day"][0], frame["ts"][0].minute) == (Decimal("1.50"), date(2024, 3, 1), 5)
    assert frame["d"][1] is frame["day"][1] is None


def test_columns_come_and_go(orders: Table) -> None:
    table = orders.drop_columns(col("note"), col("pt")).rename_columns(col("price").alias("p"))
    table = table.add_columns((col("p") * 2).alias("d")).add_or_replace_columns(
        lit("x").alias("shop"), lit(1).alias("one")
    )
    assert table.get_schema().get_field_names() == ["ts", "shop", "p", "d", "one"]
    assert table.alias("a", "b").get_schema().get_field_names() == ["a", "b", "p", "d", "one"]


def test_the_schema_tells_time_attributes(orders: Table) -> None:
    assert "`ts` TIMESTAMP(3) *ROWTIME*" in str(orders.get_schema())
    assert "*PROCTIME*" in str(orders.get_schema())


def test_views_and_sql_meet(environment: TableEnvironment) -> None:
    cheap = environment.sql_query("SELECT shop, price FROM orders WHERE price < 5").where(col("shop") == "a")
    environment.create_temporary_view("cheap", cheap)
    assert environment.from_path("cheap").select(col("price")).get_schema().get_field_names() == ["price"]


def test_a_decimal_is_one_without_a_fraction_too(orders: Table) -> None:
    numbers = ("2", "-2", "1E+3", "0", "12345678901234567890", "2.50")
    types = [column.type.flink for column in orders.select(*(lit(Decimal(one)) for one in numbers)).columns]
    assert [int(kind[8:].partition(",")[0]) for kind in types] == [1, 1, 4, 1, 20, 3]
    (half,) = orders.select(col("price") / Decimal("2")).columns
    assert half.type.name == "DECIMAL"


def test_functions_stand_in_conditions_and_keys_of_row_windows(orders: Table) -> None:
    visits = orders.environment.from_path("visits")
    doubled = udf(lambda value: value * 2, result_type="INT", name="doubled")
    assert "DOUBLED" in orders.join(visits, doubled(col("price")) == 4).explain().upper()
    window = Over.partition_by(doubled(col("price"))).order_by(col("ts")).preceding(UNBOUNDED_RANGE).alias("w")
    counted = orders.over_window(window).select(col("shop").count.over(col("w")).alias("n"))
    plan = orders.environment.plan_of(counted)
    assert [function.name for function in plan.functions] == ["DOUBLED"]


def over(t: Table) -> OverWindowedTable:
    return t.over_window(SlideRows.following(row_interval(1)).on(col("ts")).alias("w"))


@pytest.mark.parametrize(
    "wrong, told",
    [
        (lambda t: t.where((col("price") > 1) and (col("price") < 5)), "write & for AND"),
        (lambda t: t.where(1 < col("price") < 5), "write & for AND"),
        (lambda t: t.select("price"), "write col('price') for the column"),
        (lambda t: t.select(col("prize")), "did you mean 'price'?"),
        (lambda t: t.select(col("w").start), "there is no window 'w' here"),
        (lambda t: t.window(Tumble.over(lit(5).seconds).on(col("ts"))), "not complete without its time and its alias"),
        (lambda t: t.window(Tumble.over(lit(5)).on(col("ts")).alias("w")), "Tumble.over takes a length"),
        (lambda t: Slide.over(lit(5).seconds).every(row_interval(3)), "both lengths are times"),
        (lambda t: Tumble.over(row_interval(0)), "holds at least one row"),
        (lambda t: t.window(Tumble.over(lit(5).seconds).on(col("ts")).alias("w")).group_by(col("shop")), "as col('w')"),
        (lambda t: t.over_window(Over.order_by(col("ts"))), "not complete without its order and its alias"),
        (
            lambda t: Over.order_by(col("ts")).preceding(row_interval(2)).following(lit(1).seconds).alias("w"),
            "both a number",
        ),
        (lambda t: t.select(), "select takes at least one column"),
        (lambda t: t.group_by(col("shop")).select(), "select takes at least one column"),
        (lambda t: t.select(col("shop")).drop_columns(col("shop")), "leaves no column"),
        (lambda t: t.order_by(col("shop")).where(col("price") > 1).columns, "ORDER BY"),
        (lambda t: t.join("visits"), "a table is needed here, as from_path('name') gives, not 'visits'"),
        (lambda t: t.union_all(TableEnvironment.create().from_path("orders")), "a table of another environment"),
        (lambda t: t.environment.create_temporary_view("v", "SELECT 1"), "a table is needed here"),
        (lambda t: Tumble.over(lit(5).seconds).on(col("ts")).alias(col("w")), "a window's alias is a text"),
        (lambda t: SessionRows.with_gap(lit(5).seconds).on(col("ts")).alias(col("w")), "a window's alias is a text"),
        (
            lambda t: t.over_window(Over.order_by(col("ts")).alias("w")).select(col("price").sum),
            "SUM has no row window here: .over(col('w'))",
        ),
        (lambda t: call("trim", col("note")), 'call_sql("TRIM(…)")'),
        (lambda t: call_sql("shop = '${SHOP}'"), "call_sql fills no ${SHOP}: use t_env.get_config().get('SHOP'"),
        (lambda t: Over.partition_by("shop"), "write col('shop') for the column"),
        (lambda t: Over.order_by("ts"), "write col('ts') for the column"),
        (lambda t: SessionRows.partition_by("shop"), "write col('shop') for the column"),
        (lambda t: TumbleRows.over(lit(3)), "takes a length of time, such as lit(10).minutes, or a number of rows"),
        (lambda t: TumbleRows.over(row_interval(0)), "a window holds at least one row"),
        (lambda t: SessionRows.with_gap(row_interval(3)), "takes a length of time, such as lit(10).minutes, not"),
        (lambda t: SessionRows.with_gap(lit(0).seconds), "takes a length of time"),
        (lambda t: SessionRows.with_gap(lit(5).seconds).on("ts"), "is on a time attribute"),
        (lambda t: TumbleRows.over(lit(0).seconds), "takes a length of time"),
        (
            lambda t: t.over_window(TumbleRows.over(lit(1).days).on(col("shop")).alias("w")),
            "is on a time attribute, as ts or pt: 'shop' is none",
        ),
        (lambda t: t.over_window(SlideRows.following(lit(1).days).on(col("shop")).alias("w")), "'shop' is none"),
        (
            lambda t: t.over_window(*[TumbleRows.over(row_interval(2)).on(col("ts")).alias("a")] * 2),
            "two row windows are called 'a'",
        ),
        (
            lambda t: t.over_window(SlideRows.following(lit(1).days).on(col("nope")).alias("w")),
            "there is no column 'nope'",
        ),
        (lambda t: over(t).select(col("w").end), "it is col('ts').max.over(col('w'))"),
        (
            lambda t: over(t).select(col("v").start),
            "there is no row window 'v' here: it comes from .over_window(….alias('v'))",
        ),
        (
            lambda t: over(t).select(col("w").rowtime),
            "each row keeps its time: select that column in place of .rowtime",
        ),
        (lambda t: TumbleRows.over(lit(5).seconds).on("ts"), "is on a time attribute"),
        (lambda t: t.alias(*"abcdef"), "6 names given for 5 columns"),
        (lambda t: t.join(t, col("price") == 1), "both sides of the join have a column 'note'"),
        (lambda t: t.union_all(t.select(col("shop"))), "one side has 5 columns"),
        (lambda t: col("price").seconds, "a length of time is a literal"),
        (lambda t: lit(float("nan")), "SQL has no literal for nan"),
        (lambda t: t.where(col("note") == None), "nothing is equal to None, less or greater: write (note).is_null"),  # noqa: E711
        (lambda t: t.where(None == col("note")), "write (note).is_null"),  # noqa: E711, SIM300
        (lambda t: t.where(col("note") != None), "write (note).is_not_null"),  # noqa: E711
        (lambda t: t.where(None != t.note), "write (note).is_not_null"),  # noqa: E711, SIM300
        (lambda t: col("price") < None, "write (price).is_null"),
        (lambda t: None >= col("price") + 1, "write (price + 1).is_null"),  # noqa: SIM300
    ],
)
def test_a_mistake_is_told_where_it_is_made(orders: Table, wrong, told: str) -> None:
    with pytest.raises(InputError) as refused:
        wrong(orders)
    assert told in str(refused.value)
    assert "test_table.py, line " in str(refused.value)


def test_an_insert_that_nobody_would_run_is_refused(orders: Table) -> None:
    with pytest.raises(InputError, match=r"test_table.py, line \d+: inserts are for a report"):
        orders.execute_insert("visits")
    with pytest.raises(InputError, match="inserts are for a report"):
        orders.environment.execute_sql("INSERT INTO visits SELECT ts, shop FROM orders")


def test_a_mistake_in_sql_shows_its_line(environment: TableEnvironment) -> None:
    with pytest.raises(SqlError, match=r"line 1, column 8: there is no column 'prize'[^\n]*\n    SELECT prize"):
        environment.sql_query("SELECT prize FROM orders")


def test_an_unknown_method_is_no_function(orders: Table) -> None:
    with pytest.raises(AttributeError, match="did you mean 'upper_case'"):
        col("shop").uper_case


def test_a_plan_in_words(orders: Table) -> None:
    assert "TUMBLE 5 s" in by_window(orders, Tumble.over(lit(5).seconds).on(col("ts"))).explain()


def test_plans_are_told_in_words(orders: Table, capsys: pytest.CaptureFixture[str]) -> None:
    counted = orders.group_by(col("shop")).select(col("shop"), col("price").sum.alias("s"))
    assert counted.explain().startswith("report query\n\nsource orders\n")
    assert json.loads(counted.explain(as_json=True))["sources"][0]["name"] == "orders"
    counted.print_explain()
    assert capsys.readouterr().out == counted.explain() + "\n"
    environment = orders.environment
    sql = environment.explain_sql("SELECT shop, SUM(price) AS s FROM orders GROUP BY shop")
    assert sql.splitlines()[:4] == counted.explain().splitlines()[:4]
    environment.execute_sql("CREATE TABLE out (shop STRING, s INT) WITH ('connector' = 'print')")
    inserted = counted.insert_into("out").explain()
    assert inserted.startswith("report inserts") and "\ninsert out\n" in inserted
    assert (
        environment.explain_sql("INSERT INTO out SELECT shop, SUM(price) FROM orders GROUP BY shop").splitlines()[1:4]
        == (inserted.splitlines()[1:4])
    )
    with pytest.raises(SqlError, match="no table 'nowhere' to insert into"):
        counted.insert_into("nowhere").explain()
    with pytest.raises(SqlError, match="there is no insert here to explain"):
        environment.explain_sql("SET 'table.local-time-zone' = 'UTC'")


def test_nothing_is_overwritten(orders: Table) -> None:
    inserts = orders.environment.create_statement_set()
    for insert in (
        lambda: orders.execute_insert("out", overwrite=True),
        lambda: inserts.add_insert("out", orders, overwrite=True),
    ):
        with pytest.raises(SqlError, match=r"there is no overwrite: .*airflow-nrt backfill"):
            insert()


def test_declared_names_are_listed_and_dropped(orders: Table) -> None:
    environment = orders.environment
    environment.create_temporary_view("cheap", orders.where(col("price") < 5))
    environment.create_temporary_view("cheapest", environment.from_path("cheap").where(col("price") < 2))
    assert environment.list_tables() == ["cheap", "cheapest", "orders", "visits"]
    assert environment.list_views() == ["cheap", "cheapest"]
    with pytest.raises(SqlError, match="'cheap' is still read, or written: "):
        environment.drop_temporary_view("cheap")
    assert environment.drop_temporary_view("cheapest") and not environment.drop_temporary_view("cheapest")
    assert environment.drop_temporary_table("visits") and not environment.drop_temporary_table("cheap")
    environment.create_temporary_view("cheapest", orders.where(col("price") < 1))
    assert environment.list_tables() == ["cheap", "cheapest", "orders"]
    assert "UPPER" in environment.list_functions() and environment.list_user_defined_functions() == []


def test_changes_are_an_iterator_that_closes(orders: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ['{"op": "+I", "row": {"n": 1}}', '{"op": "+I", "row": {"n": 2}}']
    monkeypatch.setattr("airflow_nrt.engine.query.run_changelog", lambda *_: iter(lines))
    monkeypatch.setattr("airflow_nrt.table.tables.result._session", lambda plan: None)
    result = orders.select(col("price").alias("n")).execute()
    assert result.get_resolved_schema().get_column_names() == result.get_table_schema().get_field_names() == ["n"]
    with result.collect() as changes:
        assert changes.next() == ("+I", {"n": 1})
        assert next(changes) == ("+I", {"n": 2})
    with result.collect() as changes:
        assert [row["n"] for _, row in changes] == [1, 2]
    changes = result.collect()
    changes.close()
    assert list(changes) == []


def test_parentheses_stand_where_pyflink_has_them(orders: Table) -> None:
    trimmed = orders.select(
        col("shop").ltrim().alias("a"), col("shop").rtrim("x").alias("b"), col("shop").trim_leading("x").alias("c")
    )
    query = "SELECT LTRIM(shop) AS a, RTRIM(shop, 'x') AS b, TRIM(LEADING 'x' FROM shop) AS c FROM orders"
    assert orders.environment.plan_of(trimmed).inserts == plan_query(DDL, query, BASE).inserts
    with pytest.raises(TypeError, match=r"\(UPPER\(shop\)\) is an expression already: leave out the parentheses"):
        col("shop").upper_case()
    for method in (col("shop").ltrim, col("shop").trim):
        with pytest.raises(SqlError, match=r"is no value of SQL before it is called, \.l?trim\(…\)"):
            orders.select(method)
