# ruff: noqa: E501 (a production of a grammar is one line)
"""Scripts that look like Flink SQL: grown from its grammar, and real ones of which words are taken away or exchanged."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from airflow_nrt.sql.lexer import tokenize
from tests.golden.statements import ERRORS, STATEMENTS
from tests.sample import REPORT

ROOT = Path(__file__).resolve().parents[2]
CURVE = ROOT / "dags" / "reports" / "orders_curve.sql"
CASES = ROOT / "tests" / "golden" / "cases"
SINK = "CREATE TABLE sink (a INT) WITH ('connector' = 'print');\nINSERT INTO sink\n"

# ---------------------------------------------------------------------------------------------------- mutated scripts


def _scripts() -> list[str]:
    ddl = (ERRORS / "ddl.sql").read_text()
    cases = [
        (case / "ddl.sql").read_text() + SINK + (case / "query.sql").read_text() for case in sorted(CASES.glob("*/*"))
    ]
    return [REPORT, CURVE.read_text(), *cases, *(f"{ddl}{SINK}{statement.sql}" for statement in STATEMENTS)]


SCRIPTS = [script.replace("${CASE_DIR}", "/c").replace("${DATA}", "/d") for script in _scripts()]
WORDS = [[script[token.at.offset : token.end] for token in tokenize(script)] for script in SCRIPTS]
VOCABULARY = sorted(
    {word for words in WORDS for word in words}
    | set(
        "SESSION OVER UNION JOIN ROLLUP VALUES ROW LIKE METADATA FUNCTION LANGUAGE GROUPING INTERVAL [ ] { : @".split()
    )
)


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A script with some words taken away, put in, exchanged, repeated, or with characters replaced."""
    words = list(draw(st.sampled_from(WORDS)))
    for _ in range(draw(st.integers(1, 4))):
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
        "BOOLEAN", "ARRAY<{type}>", "MAP<{type}, {type}>", "ROW<a {type}, b {type}>", "INTERVAL DAY TO SECOND", "CHAR(3)",
    ],
    "query": [
        "SELECT {items} FROM {relation}", "SELECT {items} FROM {relation} WHERE {value} GROUP BY {keys}",
        "SELECT {items} FROM {relation} WHERE {value} GROUP BY {keys}", "SELECT {items} FROM {relation} GROUP BY {keys}",
        "WITH w AS ({query}) {query}", "{query} UNION ALL {query}", "SELECT DISTINCT {items} FROM {relation} HAVING {value}",
        "SELECT {items} FROM {relation} WINDOW w AS (ORDER BY {name} ROWS 2 PRECEDING)", "VALUES ({value}, {value})",
        "SELECT {items} FROM {relation} ORDER BY {value} DESC LIMIT 3", "({query})",
    ],
    "items": ["*", "{value}", "{value} AS {name}, {items}", "window_start, window_end, {items}", "{name}, {items}", "t.*"],
    "keys": [
        "window_start, window_end", "window_start, window_end, {value}", "({name}, window_start), window_end", "{value}",
        "TUMBLE({name}, {interval})", "window_start, window_end, GROUPING SETS (({name}), ())", "window_end, CUBE ({keys})",
    ],
    "relation": [
        "t", "u", "v", "w", "t AS {name}", "TABLE({tvf})", "TABLE({tvf})", "{tvf} x", "({query})", "({query}) AS q (a, b)",
        "{relation} JOIN {relation} ON {value}", "{relation}, {relation}", "t /*+ OPTIONS('path'='q') */",
        "{relation} LEFT JOIN {relation} USING ({name})",
    ],
    "tvf": [
        "TUMBLE(TABLE {source}, DESCRIPTOR({name}), {interval})", "HOP(TABLE t, DESCRIPTOR(ts), {interval}, {interval})",
        "CUMULATE(TABLE {source}, DESCRIPTOR(ts), {interval}, {interval})", "TUMBLE(TABLE t, DESCRIPTOR(r.ts), {interval})",
        "SESSION(TABLE {source} PARTITION BY ({name}), DESCRIPTOR(ts), {interval})",
        "CUMULATE(SIZE => {interval}, DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), STEP => {interval})",
    ],
    "source": ["t", "u", "v", "({query})"],
    "name": ["a", "b", "ts", "r", "r.ts", "r.a", "t.a", "`b`", "window_time", "nix", "x.y.z", "`größe`"],
    "interval": [
        "INTERVAL '10' MINUTES", "INTERVAL '1' HOUR", "INTERVAL '5' MINUTE", "INTERVAL '1 02:03' DAY TO MINUTE",
        "INTERVAL '0.5' SECOND(2, 1)", "INTERVAL '1-2' YEAR TO MONTH", "- INTERVAL '1' DAY", "INTERVAL '{number}' SECOND(9)", "'5' SECOND",
    ],
    "number": ["0", "1", "2.50", "1e3", ".5", "9223372036854775807", "99999999999999999999", "007", "1e999"],
    "value": [
        "{name}", "{name}", "{number}", "'text'", "''", "NULL", "TRUE", "DATE '2024-02-29'", "TIMESTAMP '2024-13-01 00:00:00'",
        "{interval}", "({value} {operator} {value})", "({value} {operator} {value})", "NOT {value}", "-{value}", "{value} IS NULL",
        "CASE WHEN {value} THEN {value} ELSE {value} END", "CAST({value} AS {type})", "TRY_CAST({value} AS {type})",
        "{value} BETWEEN {value} AND {value}", "{value} IN ({value}, {value})", "{value} IN ({query})", "EXISTS ({query})",
        "{value} LIKE {value} ESCAPE '!'", "{function}({value})", "{function}({value}, {value})", "{function}()", "({query})",
        "{aggregate}({value})", "{aggregate}(DISTINCT {value}) FILTER (WHERE {value})", "COUNT(*)", "EXTRACT(DAY FROM {value})",
        "SUM({value}) OVER (PARTITION BY {name} ORDER BY ts RANGE BETWEEN {interval} PRECEDING AND CURRENT ROW)",
        "FLOOR({value} TO HOUR)", "{value}[{value}]", "{value}.{name}", "ROW({value})", "TUMBLE_START(ts, {interval})",
    ],
    "operator": ["+", "-", "*", "/", "%", "=", "<>", "<=", "||", "AND", "OR", "IS DISTINCT FROM"],
    "function": ["UPPER", "ABS", "COALESCE", "DATE_FORMAT", "TO_TIMESTAMP", "SUBSTRING", "TRIM", "IF", "NULLIF", "ROUND", "PROCTIME"],
    "aggregate": ["COUNT", "SUM", "AVG", "MIN", "MAX", "LISTAGG", "STDDEV_POP", "FIRST_VALUE", "COLLECT"],
}  # fmt: skip
"""Productions by name. What stands first is taken where a script has grown deep enough, so that it ends."""
MAX_DEPTH = 9


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """A script grown from the grammar."""

    def grow(symbol: str, depth: int) -> str:
        choices = GRAMMAR[symbol]
        text = choices[0] if depth > MAX_DEPTH else draw(st.sampled_from(choices))
        while "{" in text:
            before, _, rest = text.partition("{")
            inner, _, after = rest.partition("}")
            text = before + grow(inner, depth + 1) + after
        return text

    return grow("script", 0)
