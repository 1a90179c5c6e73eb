# ruff: noqa: E501 (a row of a table is one line)
"""Ways of writing the same report: each gives the plan of the plain one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_nrt.basics.durations import DAY, HOUR, MINUTE, SECOND
from airflow_nrt.home.identity.fingerprint import changes_between
from airflow_nrt.model.windows import Window, cumulate, hop, tumble
from tests.sample import CURVE, INSERT, ORDERS, REPORT, plan_of

SELECT = "SELECT shop, window_start, window_end, COUNT(*), SUM(price) FROM "
GROUP = " GROUP BY shop, window_start, window_end"
TVF = "CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR)"


def report(query: str) -> str:
    return f"{ORDERS}{CURVE}INSERT INTO curve {query};"


def tvf(relation: str) -> str:
    """The report with another way of writing its windowing function."""
    assert f"TABLE({TVF})" in REPORT
    return REPORT.replace(f"TABLE({TVF})", relation)


SAME = {
    "without TABLE( )": report(SELECT + TVF + GROUP),
    "with an alias": report(SELECT + f"TABLE({TVF}) AS t" + GROUP),
    "with an alias without AS": report(SELECT + f"TABLE({TVF}) t" + GROUP.replace("shop", "t.shop")),
    "leading commas and line breaks": report(
        SELECT + "TABLE(\nCUMULATE(\n TABLE orders\n , DESCRIPTOR(ts)\n , INTERVAL '10' MINUTES\n , INTERVAL '1' HOUR))" + GROUP
    ),
    "operands in parentheses": report(
        SELECT + "TABLE(CUMULATE((SELECT * FROM orders), DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))" + GROUP
    ).replace("(SELECT * FROM orders)", "TABLE orders"),
    "named arguments in any order": report(
        SELECT + "TABLE(CUMULATE(SIZE => INTERVAL '1' HOUR, -- the day\n TIMECOL => DESCRIPTOR(ts), /* it's */ "
        "DATA => TABLE orders, STEP => INTERVAL '10' MINUTES))" + GROUP
    ),
    "the table without the word": report(SELECT + TVF.replace("TABLE orders", "orders") + GROUP),
    "units in singular and lower case": REPORT.replace("MINUTES, INTERVAL '1' HOUR", "minute, interval '1' hours"),
    "units with precision": REPORT.replace("INTERVAL '10' MINUTES", "INTERVAL '600' SECOND(3)"),
    "DAY TO MINUTE": REPORT.replace("INTERVAL '10' MINUTES", "INTERVAL '0 00:10' DAY TO MINUTE"),
    "window columns anywhere": REPORT.replace("GROUP BY shop, window_start, window_end", "GROUP BY window_end, shop, window_start"),
    "keywords in lower case": REPORT.replace("SELECT", "select").replace("FROM", "from").replace("GROUP BY", "group by"),
    "names in back-quotes": REPORT.replace("DESCRIPTOR(ts)", "DESCRIPTOR(`ts`)").replace("SUM(price)", "SUM(`price`)"),
    "a statement set": ORDERS + CURVE + "EXECUTE STATEMENT SET BEGIN " + INSERT + " END;",
    "the old statement set": ORDERS + CURVE + "BEGIN STATEMENT SET; " + INSERT + " END;",
    "no semicolon at the end": REPORT.rstrip().rstrip(";"),
    "comments with quotes and semicolons": "-- it's; größer\n" + REPORT.rstrip().rstrip(";") + " -- last; 'thing'\n;",
    "empty statements": ";;" + REPORT + ";;",
    "IF NOT EXISTS and TEMPORARY": REPORT.replace("CREATE TABLE orders", "CREATE TEMPORARY TABLE IF NOT EXISTS orders"),
    "comments of columns and tables": REPORT.replace("id BIGINT,", "id BIGINT COMMENT 'the order''s',").replace(
        ") WITH ('connector' = 'filesystem', 'path' = 'orders'", ") COMMENT 'it''s all' WITH ('connector' = 'filesystem', 'path' = 'orders'"
    ),
    "other names of types": REPORT.replace("DECIMAL(10, 2)", "NUMERIC(10, 2)").replace("STRING", "VARCHAR(2147483647)"),
    "a qualified name": REPORT.replace("TABLE orders,", "TABLE default_catalog.default_database.orders,"),
    "Windows line ends": REPORT.replace("\n", "\r\n"),
    "USE": "USE CATALOG `default_catalog`; USE default_database; USE default_catalog.default_database;\n" + REPORT,
    "LIKE": REPORT.replace(CURVE, CURVE.replace("curve (", "base (") + "CREATE TABLE curve LIKE base;\n"),
    "LIKE with another path": REPORT.replace(ORDERS, ORDERS.replace("'orders'", "'older'").replace("orders (", "older (") + "CREATE TABLE orders WITH ('path' = 'orders') LIKE older;"),
    "LIKE with another watermark": REPORT.replace(
        ORDERS, ORDERS.replace("orders (", "older (").replace("'5'", "'9'")
        + "CREATE TABLE orders (WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES) LIKE default_database.older (OVERWRITING WATERMARKS);"
    ),
    "LIKE with more columns": REPORT.replace(
        CURVE, "CREATE TABLE base (shop STRING, window_start TIMESTAMP(3)) WITH ('connector' = 'print');\n"
        + CURVE.replace("shop STRING, window_start TIMESTAMP(3), ", "").replace(";", " LIKE base (EXCLUDING OPTIONS INCLUDING ALL);")
    ),
    "all operands in parentheses": tvf("TABLE(CUMULATE((TABLE orders), (DESCRIPTOR(ts)), (INTERVAL '10' MINUTES), (INTERVAL '1' HOUR)))"),
    "the call in parentheses": tvf(f"(TABLE({TVF}))"),
    "OFFSET by name": tvf(
        "TABLE(CUMULATE(`OFFSET` => INTERVAL '0' SECOND, `DATA` => (TABLE orders), timecol => DESCRIPTOR(ts), Step => INTERVAL '10' MINUTES, SIZE => INTERVAL '1' HOUR))"
    ),
    "HOUR TO MINUTE": tvf(f"TABLE({TVF})".replace("INTERVAL '10' MINUTES", "INTERVAL '0:10' hour to minute")),
    "DAY TO SECOND": tvf(f"TABLE({TVF})".replace("INTERVAL '10' MINUTES", "INTERVAL '000 00:10:00.000' DAY(3) TO SECOND(3)")),
    "both precisions of a second": tvf(f"TABLE({TVF})".replace("INTERVAL '10' MINUTES", "INTERVAL '600.000' SECOND(3, 3)")),
    "keys in parentheses": REPORT.replace("GROUP BY shop, window_start, window_end", "GROUP BY (window_start, (shop)), window_end"),
    "all keys in parentheses": REPORT.replace("GROUP BY shop, window_start, window_end", "GROUP BY (shop, window_start, window_end)"),
    "a key twice": REPORT.replace("GROUP BY shop, window_start, window_end", "GROUP BY shop, window_start, window_end, shop"),
    "an alias in front of every column": REPORT.replace("SELECT shop", "SELECT o.shop").replace("SUM(price)", "SUM(o.price)").replace(
        "HOUR))\nGROUP BY shop, window_start", "HOUR)) o\nGROUP BY o.shop, o.window_start"
    ),
    "a statement set over many lines": ORDERS + CURVE + "execute statement set\nbegin -- first;\n" + INSERT + "/* last; */ end",
    "the old statement set without the last semicolon": ORDERS + CURVE + "BEGIN STATEMENT SET;\n" + INSERT + "END",
    "EXECUTE": ORDERS + CURVE + "EXECUTE " + INSERT,
    "the query in parentheses": REPORT.replace("SELECT shop", "(SELECT shop").replace("window_end;", "window_end);"),
    "ALL": REPORT.replace("SELECT shop", "SELECT ALL shop").replace("SUM(price)", "SUM(ALL price)"),
    "a common table expression that nobody reads": REPORT.replace("INSERT INTO curve\n", "INSERT INTO curve WITH none AS (SELECT id FROM orders) "),
    "a view without AS": REPORT.replace("INSERT INTO", "CREATE TEMPORARY VIEW v\nSELECT id, shop FROM orders;\nINSERT INTO"),
    "a view that nobody reads": REPORT.replace(
        "INSERT INTO", "CREATE TEMPORARY VIEW IF NOT EXISTS v (a COMMENT 'x', b) COMMENT 'it''s' AS SELECT id, shop FROM orders;\nINSERT INTO"
    ),
    "an OPTIONS hint that changes nothing": tvf(f"TABLE({TVF})".replace("TABLE orders", "TABLE orders /*+ OPTIONS('path' = '/data/orders') */")),
    "an OPTIONS hint of the sink": REPORT.replace("INTO curve", "INTO curve /*+ options('format'='json') */"),
    "a comment between all words": REPORT.replace(" ", " /* ; ' ` -- größer */ "),
    "a comment as the end": REPORT.rstrip().rstrip(";") + "\n-- it's; the ` last",
    "a comment before the last semicolon": REPORT.rstrip().rstrip(";") + "\n/* größer ' ; */ ;",
    "a key of the sink": REPORT.replace("gmv DECIMAL(38, 2)", "gmv DECIMAL(38, 2), CONSTRAINT k PRIMARY KEY (shop, window_end) NOT ENFORCED"),
    "a sink of every name": REPORT.replace("INTO curve", "INTO `default_catalog`.`default_database`.`curve`"),
    "NULL and comments after types": REPORT.replace("id BIGINT,", "id BIGINT NULL COMMENT 'x;--''y', -- it's\n").replace("shop STRING,\n", "shop CHARACTER VARYING(2147483647),\n"),
    "a metadata column": REPORT.replace("id BIGINT,", "id BIGINT, file STRING NOT NULL METADATA FROM 'file.path' VIRTUAL COMMENT 'x', `file.name` STRING METADATA,"),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SAME)
def test_the_same_report(spelling: str) -> None:
    assert changes_between(plan_of(), plan_of(SAME[spelling])) == []


WINDOWS = {
    "TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)": tumble(10 * MINUTE),
    "TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '-2' MINUTES)": tumble(10 * MINUTE, -2 * MINUTE),
    "TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, - INTERVAL '2' MINUTES)": tumble(10 * MINUTE, -2 * MINUTE),
    "TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '0.5' SECOND)": tumble(500),
    "TUMBLE(TABLE orders, DESCRIPTOR(ts, id), INTERVAL '1' DAY)": tumble(DAY),
    "HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '4' MINUTES, INTERVAL '10' MINUTES)": hop(4 * MINUTE, 10 * MINUTE),
    "HOP(SIZE => INTERVAL '10' MINUTES, SLIDE => INTERVAL '4' MINUTES, TIMECOL => DESCRIPTOR(ts), DATA => TABLE orders)":
        hop(4 * MINUTE, 10 * MINUTE),
    "HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '4' MINUTES, INTERVAL '7' HOUR)":
        hop(10 * MINUTE, 4 * MINUTE, 7 * HOUR),
    "CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '1' DAY, INTERVAL '-8' HOUR)":
        cumulate(DAY, DAY, -8 * HOUR),
    "CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '90' SECOND, INTERVAL '0 01:30:00' DAY TO SECOND)":
        cumulate(90 * SECOND, 90 * MINUTE),
}  # fmt: skip


@pytest.mark.parametrize("call", WINDOWS)
def test_windows(call: str) -> None:
    expected: Window = WINDOWS[call]
    assert plan_of(report(SELECT + f"TABLE({call})" + GROUP)).operators[0].window == expected


WHOLE = {
    "a view": f"CREATE VIEW w AS SELECT shop, price, ts FROM orders;\nINSERT INTO curve {SELECT}{TVF.replace('orders', 'w')}{GROUP};",
    "a view with a column list": "CREATE VIEW w (shop, price, ts) AS SELECT shop, price, ts FROM orders;\n"
    f"INSERT INTO curve {SELECT}{TVF.replace('orders', 'w')}{GROUP};",
    "a common table expression": f"INSERT INTO curve WITH w AS (SELECT shop, price, ts FROM orders) {SELECT}{TVF.replace('orders', 'w')}{GROUP};",
    "a derived table": f"INSERT INTO curve SELECT * FROM ({SELECT}{TVF}{GROUP});",
    "a query as the table": f"INSERT INTO curve {SELECT}{TVF.replace('TABLE orders', '(SELECT * FROM orders)')}{GROUP};",
    "a column list of the insert": "INSERT INTO curve (gmv, shop) SELECT SUM(price), shop FROM " + TVF + GROUP + ";",
    "an expression as the key": f"INSERT INTO curve {SELECT.replace('shop', 'UPPER(shop)')}{TVF}{GROUP.replace('shop', 'UPPER(shop)')};",
    "HAVING and FILTER": f"INSERT INTO curve {SELECT.replace('COUNT(*)', 'COUNT(*) FILTER (WHERE price > 1)')}{TVF}{GROUP} HAVING SUM(price) > 2;",
    "an OPTIONS hint": f"INSERT INTO curve {SELECT}{TVF.replace('TABLE orders', 'TABLE orders /*+ OPTIONS(' + chr(39) + 'csv.field-delimiter' + chr(39) + '=' + chr(39) + ';' + chr(39) + ') */')}{GROUP};",
}  # fmt: skip


@pytest.mark.parametrize("form", WHOLE)
def test_forms_of_a_query(form: str) -> None:
    plan = plan_of(ORDERS + CURVE + WHOLE[form])
    assert [operator.window for operator in plan.operators] == [cumulate(10 * MINUTE, HOUR)]
    assert [insert.operators for insert in plan.inserts] == [(plan.operators[0].name,)]


def test_a_raw_windowing_function_publishes_as_rows_come() -> None:
    sink = CURVE.replace("cnt BIGINT, gmv DECIMAL(38, 2)", "price DECIMAL(10, 2)")
    plan = plan_of(ORDERS + sink + f"INSERT INTO curve SELECT shop, window_start, window_end, price FROM TABLE({TVF});")
    assert (plan.operators, plan.inserts[0].operators) == ((), ())


def test_inserts_share_an_operator() -> None:
    second = CURVE.replace("curve", "other") + INSERT.replace("INTO curve", "INTO other")
    plan = plan_of(REPORT + second)
    assert len(plan.operators) == 1
    assert [insert.operators for insert in plan.inserts] == [("w1",), ("w1",)]


def test_a_view_sees_no_common_table_expression_of_its_reader() -> None:
    view = "CREATE VIEW v AS SELECT shop, price, ts FROM orders;"
    query = f"WITH orders AS (SELECT 1 AS x FROM v) {SELECT}{TVF.replace('orders', 'v')}{GROUP}"
    assert plan_of(ORDERS + CURVE + view + f"INSERT INTO curve {query};").sources[0].name == "orders"


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        ("DOUBLE PRECISION", "DOUBLE"),
        ("DEC(5, 1)", "DECIMAL(5, 1)"),
        ("NUMERIC", "DECIMAL(10, 0)"),
        ("BYTES", "BYTES"),
        ("INTEGER", "INT"),
        ("TIMESTAMP(0)", "TIMESTAMP(0)"),
        ("TIMESTAMP", "TIMESTAMP(6)"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"),
        ("TIMESTAMP(3) WITHOUT TIME ZONE", "TIMESTAMP(3)"),
        ("ROW<a INT, `b` STRING NOT NULL>", "ROW<`a` INT, `b` STRING NOT NULL>"),
        ("ROW(a INT)", "ROW<`a` INT>"),
        ("ARRAY<MAP<STRING, INT>>", "ARRAY<MAP<STRING, INT>>"),
        ("INT ARRAY", "ARRAY<INT>"),
        ("INT NOT NULL", "INT NOT NULL"),
        ("NUMERIC(5)", "DECIMAL(5, 0)"),
        ("TIMESTAMP_LTZ", "TIMESTAMP_LTZ(6)"),
        ("TIMESTAMP(0) WITH LOCAL TIME ZONE NOT NULL", "TIMESTAMP_LTZ(0) NOT NULL"),
        ("CHARACTER(3)", "CHAR(3)"),
        ("CHAR VARYING(7)", "VARCHAR(7)"),
        (
            "ARRAY<ARRAY<ROW(a INT 'the a', b MAP<STRING, ARRAY<INT>>) NOT NULL>>",
            "ARRAY<ARRAY<ROW<`a` INT, `b` MAP<STRING, ARRAY<INT>>> NOT NULL>>",
        ),
        (
            "MAP<STRING NOT NULL, ROW<`user` STRING, `timestamp` TIMESTAMP(3)>> NULL",
            "MAP<STRING NOT NULL, ROW<`user` STRING, `timestamp` TIMESTAMP(3)>>",
        ),
    ],
)
def test_types(declared: str, written: str) -> None:
    script = (
        ORDERS.replace("id BIGINT", f"id {declared}").replace("'csv'", "'json'")
        + CURVE
        + INSERT.replace("COUNT(*)", "COUNT(id)")
    )
    assert str(plan_of(script).source("orders").table.column("id").type) == written


@pytest.mark.parametrize(
    "spelling",
    [
        "SET table.exec.source.idle-timeout = 10 s;",
        "set 'table.exec.source.idle-timeout'='10 s' ;",
        "SET 'table.exec.source.idle-timeout' = 10  s -- ten; seconds\n;",
        "SET table.exec.source.idle-timeout /* ' */ = '10 s';",
        "SET 'table.exec.source.idle-timeout' = '5 s'; SET 'table.exec.source.idle-timeout' = '10 s';",
    ],
)
def test_a_setting(spelling: str) -> None:
    assert plan_of(spelling + REPORT).setting("table.exec.source.idle-timeout") == "10 s"


def test_settings_quoted_and_unquoted() -> None:
    script = (
        "SET parallelism.default = 4;\nSET 'spark.sql.shuffle.partitions' = '7';\nSET 'pipeline.name' = 'my curve';\n"
    )
    plan = plan_of(script + REPORT)
    assert plan.name == "my curve"
    assert (plan.setting("parallelism.default"), plan.setting("spark.sql.shuffle.partitions")) == ("4", "7")


def test_a_union_has_no_key() -> None:
    """Its one operator has a row for each window, the union has two."""
    counted = f"SELECT 'a', window_start, window_end, COUNT(*), SUM(price) FROM {TVF} GROUP BY window_start, window_end"
    one, two = (
        plan_of(ORDERS + CURVE + f"INSERT INTO curve {query};") for query in (counted, f"{counted} UNION ALL {counted}")
    )
    assert (one.inserts[0].key, two.inserts[0].key) == ((), None)
    assert one.operators == two.operators


@pytest.mark.parametrize(
    "flagged",
    [
        TVF.replace("'1' HOUR)", "'1' HOUR, INTERVAL '0' SECOND, true)"),
        "CUMULATE(DATA => TABLE orders, TIMECOL => DESCRIPTOR(ts), STEP => INTERVAL '10' MINUTES, emitOnlyOnUpdate => TRUE, SIZE => INTERVAL '1' HOUR)",
        "CUMULATE(EMIT_ONLY_ON_UPDATE => TRUE, DATA => TABLE orders, TIMECOL => DESCRIPTOR(ts), STEP => INTERVAL '10' MINUTES, SIZE => INTERVAL '1' HOUR)",
    ],
)
def test_emit_only_on_update(flagged: str) -> None:
    assert plan_of(tvf(flagged)).operators[0].window == replace(cumulate(10 * MINUTE, HOUR), only_updates=True)
    assert plan_of(tvf(flagged.replace("TRUE", "FALSE").replace("true", "FALSE"))).operators == plan_of().operators


def test_a_week_is_seven_days() -> None:
    assert plan_of(tvf("TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' WEEK)")).operators[0].window == tumble(
        7 * DAY
    )
