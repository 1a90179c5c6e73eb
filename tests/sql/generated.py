# ruff: noqa: E501 (a production of a grammar is one line)
"""Scripts that look like Flink SQL: grown from its grammar, and real ones of which words are taken away or exchanged."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import strategies as st

from airflow_nrt.sql.parse.words.lexer import tokenize
from tests.golden.run import Case, cases_below
from tests.golden.statements import ERRORS, STATEMENTS
from tests.sample import REPORT

ROOT = Path(__file__).resolve().parents[2]
CURVE = ROOT / "dags" / "reports" / "orders_curve.sql"
CASES = ROOT / "tests" / "golden" / "cases"
TABLES = """CREATE TABLE t (
    a BIGINT, b STRING, d DECIMAL(10, 2) NOT NULL, ts TIMESTAMP(3), r ROW<ts TIMESTAMP(3), a INT>, c AS a + 1,
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE u WITH ('path' = '/u') LIKE t;
CREATE VIEW v AS SELECT UPPER(b) AS b, a, ts FROM t WHERE a > 0;
"""
"""What grown queries read."""

# ---------------------------------------------------------------------------------------------------- mutations


def words_of(script: str) -> list[str]:
    return [script[token.at.offset : token.end] for token in tokenize(script)]


QUERIES = [
    *(((case / "ddl.sql").read_text(), (case / "query.sql").read_text()) for case in sorted(CASES.glob("*/*"))),
    *(((ERRORS / "ddl.sql").read_text(), statement.sql) for statement in STATEMENTS),
]
"""Tables, and a query over them."""
SCRIPTS = [words_of(script) for script in (REPORT, CURVE.read_text().replace("${DATA}", "/d"))]
VOCABULARY = sorted(
    {word for query in QUERIES for part in query for word in words_of(part)}
    | set(
        "SESSION OVER UNION JOIN ROLLUP VALUES ROW LIKE METADATA FUNCTION LANGUAGE GROUPING INTERVAL [ ] { : @".split()
    )
)


@st.composite
def mutations(draw: st.DrawFn, scripts: list[list[str]]) -> str:
    """One of these scripts with some words taken away, put in, exchanged, repeated, or with characters replaced."""
    words = list(draw(st.sampled_from(scripts)))
    for _ in range(draw(st.integers(1, 3))):
        at, other = draw(st.integers(0, len(words) - 1)), draw(st.integers(0, len(words) - 1))
        match draw(st.sampled_from(["drop", "insert", "replace", "swap", "repeat", "cut", "spoil"])):
            case "drop":
                words[at] = ""
            case "insert":
                words.insert(at, draw(st.sampled_from(VOCABULARY)))
            case "replace":
                words[at] = draw(st.sampled_from(VOCABULARY))
            case "swap":
                words[at], words[other] = words[other], words[at]
            case "repeat":
                words[at:at] = words[other : other + draw(st.integers(1, 12))] * draw(st.sampled_from([1, 2, 300]))
            case "cut":
                del words[at + 1 :]
            case "spoil":
                words[at] = draw(st.text(max_size=6))
    return " ".join(words)


def spoiled_queries() -> st.SearchStrategy[tuple[str, str]]:
    """Tables as they are, and the query over them with mutations."""
    queries = [(ddl.replace("${CASE_DIR}", "/c"), words_of(query)) for ddl, query in QUERIES]
    return st.sampled_from(queries).flatmap(lambda query: st.tuples(st.just(query[0]), mutations([query[1]])))


GOLDEN = cases_below(CASES)
EXCHANGED = [
    "SUM AVG MIN MAX COUNT FIRST_VALUE LAST_VALUE LISTAGG COLLECT STDDEV_SAMP VAR_POP ARRAY_AGG", "= <> < <= > >=",
    "INNER LEFT RIGHT FULL", "TUMBLE HOP CUMULATE", "ASC DESC", "AND OR", "ROW_NUMBER RANK DENSE_RANK", "CUBE ROLLUP",
    "UNION INTERSECT EXCEPT", "ROWS RANGE", "1 2 3 60", "'1' '2' '10' '30'", "MINUTE MINUTES HOUR SECOND DAY", "+ - * /",
]  # fmt: skip
"""Words of which each may stand where another stood."""
COMPUTED = ["{0}", "CAST({0} AS STRING)", "COALESCE({0}, {1})", "NULLIF({0}, {1})", "({0} + 1)", "({0} = {1})", "NULL"]
"""What a column and another one may become."""


@st.composite
def changed_queries(draw: st.DrawFn) -> tuple[Case, str]:
    """A golden case, and its query with some words exchanged for such as may stand there."""
    case = draw(st.sampled_from(GOLDEN))
    names = re.findall(r"^\s*`?(\w+)`? [A-Z]", case.ddl, flags=re.M)
    words = words_of(case.text("query.sql"))
    options = {word: line.split() for line in EXCHANGED for word in line.split()}
    places = [n for n, word in enumerate(words) if word in options or word in names]
    for at in draw(st.lists(st.sampled_from(places), min_size=1, max_size=3)) if places else ():
        if words[at] in names:
            words[at] = draw(st.sampled_from(COMPUTED)).format(*(draw(st.sampled_from(names)) for _ in range(2)))
        else:
            words[at] = draw(st.sampled_from(options.get(words[at], [words[at]])))
    return case, " ".join(words)


# ---------------------------------------------------------------------------------------------------- grown scripts

GRAMMAR = {
    "script": ["CREATE TABLE t ({element}, {element}, {element}){tail}; {statement}; {statement}"],
    "statement": [
        "INSERT INTO t {query}", "CREATE VIEW v AS {query}", "SET {name} = {value}", "{query}",
        "CREATE TEMPORARY TABLE IF NOT EXISTS u ({element}){tail}", "CREATE TABLE u {tail} LIKE t (EXCLUDING OPTIONS)",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO t {query}; INSERT INTO u {query}; END",
        "CREATE FUNCTION f AS 'm.f' LANGUAGE PYTHON", "USE {name}", "DROP TABLE {name}",
    ],
    "element": [
        "{name} {type}", "{name} {type}", "{name} AS {value}", "{name} {type} METADATA FROM 'file.path' VIRTUAL",
        "WATERMARK FOR {name} AS {value}", "WATERMARK FOR r.ts AS r.ts - {interval}", "PRIMARY KEY ({name}) NOT ENFORCED",
        "ts TIMESTAMP(3)", "r ROW<ts TIMESTAMP(3), a {type}>",
    ],
    "tail": [
        " WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json')", " WITH ('connector' = 'print')",
        " COMMENT 'x' PARTITIONED BY ({name}) WITH ('path' = 'p')", "",
    ],
    "type": [
        "INT", "BIGINT NOT NULL", "STRING", "DECIMAL(10, 2)", "DOUBLE PRECISION", "TIMESTAMP(3)", "TIMESTAMP_LTZ(3)", "DATE",
        "BOOLEAN", "ARRAY<{type}>", "MAP<{type}, {type}>", "MULTISET<{type}>", "ROW<a {type}, b {type}>", "INTERVAL DAY TO SECOND", "CHAR(3)",
    ],
    "query": [
        "SELECT {items} FROM {relation}", "SELECT {items} FROM {relation} WHERE {condition}", "{windowed}", "{windowed}",
        "{windowed}", "{windowed} HAVING {condition}", "SELECT {items} FROM {relation} GROUP BY {keys}", "{rare}",
    ],
    "windowed": [
        "SELECT window_start, {aggregates} FROM {tvf} GROUP BY window_start, window_end",
        "SELECT b, {aggregates} FROM {tvf} WHERE {condition} GROUP BY b, window_end, window_start",
        "SELECT {value}, {aggregates} FROM {tvf} x GROUP BY {keys}",
    ],
    "rare": [
        "SELECT {items} FROM t", "SELECT * FROM (WITH w AS ({query}) SELECT {items} FROM w)", "({query}) UNION ALL ({query})",
        "SELECT DISTINCT {items} FROM {relation}", "SELECT {items} FROM {relation} ORDER BY {value} DESC LIMIT 3",
        "SELECT {items} FROM t WINDOW w AS (ORDER BY ts ROWS 2 PRECEDING)", "VALUES ({value}, {value})", "SELECT (1, 2) FROM t",
    ],
    "items": ["*", "{value}", "{value} AS x, {value} AS y", "b, ts, {value} AS z", "t.*"],
    "aggregates": ["COUNT(*)", "COUNT(*), {aggregate}", "{aggregate}, {aggregate} AS s", "{aggregate} + {value}"],
    "aggregate": [
        "SUM(a)", "SUM({value})", "MAX({value})", "COUNT(DISTINCT {value})", "AVG(d) FILTER (WHERE {condition})", "LISTAGG(b)",
        "STDDEV_POP({value})", "FIRST_VALUE({value})", "COLLECT({value})", "COUNT({value}, {value})",
        "ARRAY_AGG(DISTINCT {value})", "JSON_OBJECTAGG(KEY b VALUE {value})", "JSON_ARRAYAGG({value} NULL ON NULL)",
        "PERCENTILE({value}, ARRAY[0.1, 0.5])", "SINGLE_VALUE(DISTINCT {value})", "VAR_POP(DISTINCT {value})",
        "SUM(a * (SELECT MAX(a) FROM u))", "MAX(LAG(a) OVER (ORDER BY ts))", "COUNT(*) FILTER (WHERE a > ({query}))",
        "COUNT(DISTINCT {value}, {value})", "PERCENTILE(a, 0.5, {value}) FILTER (WHERE {condition})",
    ],
    "keys": [
        "window_start, window_end", "window_start, window_end, {value}", "(b, window_start), window_end", "{value}",
        "TUMBLE(ts, {interval})", "window_start, window_end, GROUPING SETS ((b), ())", "window_end, CUBE (a, b)",
    ],
    "relation": [
        "t", "u", "v", "t AS x", "TABLE({tvf})", "{tvf} x", "({query})", "({query}) AS q", "{relation} JOIN u ON {condition}",
        "t, u", "t /*+ OPTIONS('path'='q') */", "({query}) AS q (a, b)",
    ],
    "tvf": [
        "TABLE({valid})", "{valid}", "{valid}", "{any}",
    ],
    "valid": [
        "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES)", "HOP(TABLE u, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '1' HOUR)",
        "CUMULATE(TABLE {source}, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' DAY, INTERVAL '-8' HOUR)",
        "TUMBLE(SIZE => INTERVAL '0.5' SECOND, DATA => (SELECT * FROM t WHERE {condition}), TIMECOL => DESCRIPTOR(ts))",
    ],
    "any": [
        "TUMBLE(TABLE {source}, DESCRIPTOR({name}), {interval})", "HOP(TABLE t, DESCRIPTOR(ts), {interval}, {interval})",
        "CUMULATE(TABLE {source}, DESCRIPTOR(ts), {interval}, {interval})", "TUMBLE(TABLE t, DESCRIPTOR(r.ts), {interval})",
        "SESSION(TABLE {source} PARTITION BY ({name}), DESCRIPTOR(ts), {interval})",
        "CUMULATE(SIZE => {interval}, DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), STEP => {interval})",
    ],
    "source": ["t", "u", "v", "({query})"],
    "name": ["a", "b", "ts", "d", "c", "r.ts", "r.a", "t.a", "`b`", "window_start", "window_time", "nix", "x.y.z", "`größe`"],
    "interval": [
        "INTERVAL '10' MINUTES", "INTERVAL '1' HOUR", "INTERVAL '5' MINUTE", "INTERVAL '1 02:03' DAY TO MINUTE",
        "INTERVAL '0.5' SECOND(2, 1)", "INTERVAL '1-2' YEAR TO MONTH", "- INTERVAL '1' DAY", "INTERVAL '{number}' SECOND(9)", "'5' SECOND",
    ],
    "number": ["0", "1", "2.50", "1e3", ".5", "9223372036854775807", "99999999999999999999", "007", "1e999"],
    "literal": [
        "1", "'text'", "''", "NULL", "TRUE", "{number}", "DATE '2024-02-29'", "TIMESTAMP '2024-13-01 00:00:00'", "{interval}",
    ],
    "condition": [
        "a > 1", "b = 'x'", "{value} {comparison} {value}", "NOT ({condition})", "({condition} AND {condition})",
        "({value}) IS NOT NULL", "({value}) BETWEEN {value} AND {value}", "({value}) IN ({value}, {literal})", "b LIKE {value}",
        "({condition} OR {condition}) IS TRUE", "a IN (SELECT a FROM u)", "EXISTS ({query})", "{value}",
    ],
    "value": [
        "{name}", "{name}", "{literal}", "({value} {operator} {value})", "({value} {operator} {value})", "-({value})",
        "CASE WHEN {condition} THEN {value} ELSE {value} END", "CAST({value} AS {type})", "TRY_CAST({value} AS {type})",
        "{function}({value})", "{function}({value}, {value})", "{function}()", "({query})", "{aggregate}",
        "EXTRACT(DAY FROM {value})", "FLOOR({value} TO HOUR)", "({value})[{value}]", "ROW({value})", "TUMBLE_START(ts, {interval})",
        "SUM({value}) OVER (PARTITION BY b ORDER BY ts RANGE BETWEEN {interval} PRECEDING AND CURRENT ROW)",
    ],
    "comparison": ["=", "<>", "<=", ">", "IS DISTINCT FROM"],
    "operator": ["+", "-", "*", "/", "%", "||"],
    "function": ["UPPER", "ABS", "COALESCE", "DATE_FORMAT", "TO_TIMESTAMP", "SUBSTRING", "TRIM", "IF", "NULLIF", "ROUND", "PROCTIME"],
}  # fmt: skip
"""Productions by name. What stands first is taken where a script has grown deep enough, so that it ends."""
MAX_DEPTH = 9


@st.composite
def grown(draw: st.DrawFn, start: str) -> str:
    """A text grown from the grammar."""

    def grow(symbol: str, depth: int) -> str:
        choices = GRAMMAR[symbol]
        text = choices[0] if depth > MAX_DEPTH else draw(st.sampled_from(choices))
        while "{" in text:
            before, _, rest = text.partition("{")
            inner, _, after = rest.partition("}")
            text = before + grow(inner, depth + 1) + after
        return text

    return grow(start, 0)
