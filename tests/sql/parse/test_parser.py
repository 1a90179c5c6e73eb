# ruff: noqa: E501 (a row of a table is one line)
"""What the parser makes of constructs, whether or not the planner has an operator for them."""

from __future__ import annotations

import pytest

from airflow_nrt.sql.errors import Problems
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.statements import parse_query, parse_script
from airflow_nrt.sql.parse.unparse import text_of


def select(text: str) -> ast.Select:
    query = parse_query(text)
    assert isinstance(query, ast.Select)
    return query


def calls(node: ast.Expression) -> str:
    assert isinstance(node, ast.Call)
    return text_of(node)


# ---------------------------------------------------------------------------------------------------- grouped windows


@pytest.mark.parametrize(
    ("window", "text"),
    [
        ("TUMBLE(ts, INTERVAL '10' MINUTE)", "TUMBLE(ts, INTERVAL '10' MINUTE)"),
        ("tumble(o.ts, interval '10' minutes)", "TUMBLE(o.ts, INTERVAL '10' MINUTE)"),
        ("HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)", "HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)"),
        ("SESSION(ts, INTERVAL '30' MINUTE)", "SESSION(ts, INTERVAL '30' MINUTE)"),
        ("TUMBLE(PROCTIME(), INTERVAL '1' SECOND)", "TUMBLE(PROCTIME(), INTERVAL '1' SECOND)"),
    ],
)
def test_a_grouped_window_is_a_key(window: str, text: str) -> None:
    group = select(f"SELECT COUNT(*) FROM orders o GROUP BY shop, {window}, UPPER(shop)").group
    assert group is not None
    assert [(grouping.kind, text_of(grouping.sets[0][0])) for grouping in group] == [
        ("key", "shop"),
        ("key", text),
        ("key", "UPPER(shop)"),
    ]


@pytest.mark.parametrize("window", ["TUMBLE", "HOP", "SESSION"])
@pytest.mark.parametrize("call", ["START", "END", "ROWTIME", "PROCTIME"])
def test_auxiliary_calls_stand_anywhere(window: str, call: str) -> None:
    lengths = "INTERVAL '5' MINUTE, INTERVAL '10' MINUTE" if window == "HOP" else "INTERVAL '10' MINUTE"
    auxiliary = f"{window}_{call}(ts, {lengths})"
    query = select(
        f"SELECT {auxiliary} AS t, DATE_FORMAT({auxiliary}, 'HH:mm') FROM orders "
        f"GROUP BY {window}(ts, {lengths}) HAVING {auxiliary} > TIMESTAMP '2024-01-01 00:00:00'"
    )
    assert calls(query.items[0].expression) == auxiliary
    inner = query.items[1].expression
    assert isinstance(inner, ast.Call) and calls(inner.arguments[0]) == auxiliary
    assert isinstance(query.having, ast.Binary) and calls(query.having.left) == auxiliary


def test_a_grouped_window_feeds_another_one() -> None:
    query = select(
        "SELECT TUMBLE_END(rowtime, INTERVAL '1' HOUR) FROM (SELECT TUMBLE_ROWTIME(ts, INTERVAL '1' MINUTE) AS rowtime "
        "FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)) GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
    )
    assert isinstance(query.relation, ast.Derived) and query.relation.alias is None


# ---------------------------------------------------------------------------------------------------- GROUP BY


@pytest.mark.parametrize(
    ("group", "groups"),
    [
        ("GROUPING SETS ((a, b), (a), b, ())", [("GROUPING SETS", "a b|a|b|")]),
        ("w, CUBE (a, b)", [("key", "w"), ("CUBE", "a|b")]),
        ("ROLLUP ((a, b), c), w", [("ROLLUP", "a b|c"), ("key", "w")]),
        ("(a, b), c", [("key", "a"), ("key", "b"), ("key", "c")]),
        ("(a + b) * 2, (c)", [("key", "(a + b) * 2"), ("key", "c")]),
        ("()", [("GROUPING SETS", "")]),
    ],
)
def test_grouping(group: str, groups: list[tuple[str, str]]) -> None:
    groupings = select(f"SELECT COUNT(*) FROM t GROUP BY {group}").group
    assert groupings is not None
    assert [(g.kind, "|".join(" ".join(map(text_of, keys)) for keys in g.sets)) for g in groupings] == groups


# ---------------------------------------------------------------------------------------------------- OVER


def bound(side: ast.Bound) -> str:
    return f"{text_of(side.value) if side.value else 'all'} {'after' if side.following else 'before'}"


@pytest.mark.parametrize(
    ("frame", "unit", "low", "high"),
    [
        ("ROWS 2 PRECEDING", "ROWS", "2 before", "0 after"),
        ("ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", "ROWS", "2 before", "0 after"),
        ("ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING", "ROWS", "all before", "1 after"),
        ("ROWS UNBOUNDED PRECEDING", "ROWS", "all before", "0 after"),
        ("range between interval '1' hour preceding and current row", "RANGE", "INTERVAL '1' HOUR before", "0 after"),
        ("RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "RANGE", "0 after", "all after"),
    ],
)
def test_a_frame(frame: str, unit: str, low: str, high: str) -> None:
    call = select(f"SELECT SUM(price) OVER (PARTITION BY a, b ORDER BY ts {frame}) AS s FROM t").items[0].expression
    assert isinstance(call, ast.Call) and call.over is not None and call.over.frame is not None
    assert (len(call.over.partition), len(call.over.order)) == (2, 1)
    read = call.over.frame
    assert (read.unit, bound(read.low), bound(read.high), read.text) == (unit, low, high, frame)


def test_named_windows() -> None:
    query = select(
        "SELECT SUM(a) OVER w, COUNT(*) OVER (w ROWS 1 PRECEDING) FROM t "
        "WINDOW w AS (PARTITION BY b ORDER BY ts), v AS (ORDER BY ts DESC)"
    )
    assert [name for name, _ in query.windows] == ["w", "v"]
    overs = [item.expression.over for item in query.items if isinstance(item.expression, ast.Call)]
    assert [(over.name, over.frame is None) for over in overs if over] == [("w", True), ("w", False)]


# ---------------------------------------------------------------------------------------------------- time and functions


@pytest.mark.parametrize("name", ["PROCTIME", "SYSTEM_PROCTIME", "SYSTEM_ROWTIME"])
def test_a_column_of_the_systems_time(name: str) -> None:
    (table,) = parse_script(f"CREATE TABLE t (p AS {name}())", Problems())
    assert isinstance(table, parsed.CreateTable) and table.columns[0].expression is not None
    assert calls(table.columns[0].expression) == f"{name}()"


@pytest.mark.parametrize("name", ["SOURCE_WATERMARK", "SYSTEM_WATERMARK"])
def test_a_watermark_of_the_source(name: str) -> None:
    (table,) = parse_script(f"CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS {name}())", Problems())
    assert isinstance(table, parsed.CreateTable) and table.watermark is not None
    assert calls(table.watermark.expression) == f"{name}()"


@pytest.mark.parametrize("words", ["FUNCTION", "TEMPORARY FUNCTION IF NOT EXISTS", "TEMPORARY SYSTEM FUNCTION"])
def test_a_python_function(words: str) -> None:
    script = (
        f"CREATE {words} watermarkOnFlag AS 'marks.on_flag' LANGUAGE PYTHON;\n"
        "CREATE TABLE t (log_ts TIMESTAMP(3), flag BOOLEAN, WATERMARK FOR log_ts AS watermarkOnFlag(log_ts, flag))"
    )
    function, table = parse_script(script, Problems())
    assert isinstance(function, parsed.CreateFunction) and isinstance(table, parsed.CreateTable)
    assert (function.name, function.target) == ("watermarkOnFlag", "marks.on_flag")
    assert function.if_not_exists == ("EXISTS" in words)
    assert table.watermark is not None and calls(table.watermark.expression) == "WATERMARKONFLAG(log_ts, flag)"


@pytest.mark.parametrize(
    ("argument", "keys"),
    [
        ("TABLE t PARTITION BY a, DESCRIPTOR(ts), INTERVAL '1' MINUTE", "a"),
        ("TABLE t PARTITION BY a, b, DESCRIPTOR(ts), INTERVAL '1' MINUTE", "a b"),
        ("TABLE t PARTITION BY (a, b), DESCRIPTOR(ts), INTERVAL '1' MINUTE", "a b"),
        ("(TABLE t PARTITION BY t.a, b), DESCRIPTOR(ts), INTERVAL '1' MINUTE", "t.a b"),
        ("t PARTITION BY a, DESCRIPTOR(ts), INTERVAL '1' MINUTE", "a"),
        ("(SELECT * FROM t) PARTITION BY a, DESCRIPTOR(ts), INTERVAL '1' MINUTE", "a"),
        ("DATA => TABLE t PARTITION BY a, b, TIMECOL => DESCRIPTOR(ts), GAP => INTERVAL '1' MINUTE", "a b"),
        ("GAP => INTERVAL '1' MINUTE, TIMECOL => DESCRIPTOR(ts), DATA => TABLE t PARTITION BY a, b", "a b"),
    ],
)
def test_partitions_of_a_session(argument: str, keys: str) -> None:
    relation = select(f"SELECT * FROM TABLE(SESSION({argument}))").relation
    assert isinstance(relation, ast.FunctionTable) and len(relation.call.arguments) == 3
    values = [a.value if isinstance(a, ast.Named) else a for a in relation.call.arguments]
    (table,) = [value for value in values if isinstance(value, ast.TableArgument)]
    assert " ".join(map(text_of, table.partition)) == keys


# ---------------------------------------------------------------------------------------------------- parentheses


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ((SELECT MAX(a) FROM u) + 1) * 2 FROM t",
        "SELECT a FROM t WHERE a > ((SELECT MAX(a) FROM u) - (SELECT MIN(a) FROM u))",
        "SELECT a FROM t WHERE a IN ((SELECT MAX(a) FROM u), 2)",
        "SELECT a FROM t WHERE a IN ((SELECT a FROM u) UNION (SELECT a FROM v))",
        "SELECT * FROM ((SELECT a FROM t) x JOIN (SELECT a FROM u) y ON x.a = y.a)",
        "SELECT * FROM ((SELECT a FROM t) UNION ALL (SELECT a FROM u)) x",
        "((SELECT a FROM t) EXCEPT (SELECT a FROM u)) ORDER BY a LIMIT 2",
        "(((SELECT a FROM t)))",
        "SELECT * FROM (((t)))",
        "SELECT a FROM t GROUP BY (COALESCE(a, b))",
    ],
)
def test_parentheses_around_queries_and_values(query: str) -> None:
    assert parse_query(query) == parse_query(f"{query};")


# ---------------------------------------------------------------------------------------------------- differences


@pytest.mark.parametrize(
    ("item", "text", "name"),
    [
        ("(a - b) day", "a - b", "day"),
        ("(a - b) days", "a - b", "days"),
        ("(a - b) DAY AS d", "(a - b) DAY", "d"),
        ("(a - b) hour h", "(a - b) HOUR", "h"),
        ("(a - b) DAY TO SECOND", "(a - b) DAY TO SECOND", None),
        ("(a - b) SECOND(3)", "(a - b) SECOND", None),
        ("EXTRACT(HOUR FROM (a - b) HOUR)", "EXTRACT(HOUR, (a - b) HOUR)", None),
    ],
)
def test_a_unit_after_a_difference_is_a_name_where_it_ends_an_item(item: str, text: str, name: str | None) -> None:
    (found,) = select(f"SELECT {item} FROM t").items
    assert (text_of(found.expression), found.alias) == (text, name)
