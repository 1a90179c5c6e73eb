"""A setting comes from a run's configuration: its value stays one piece of text, wherever its placeholder stands.

Covers airflow_nrt/sql/filling.
"""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.filling.placeholders import fill_placeholders
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.parse.words.lexer import TokenKind, tokenize
from airflow_nrt.table.reports.load import load_report

SCRIPT = """
CREATE TABLE orders (shop STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = '/data', 'format' = 'json');
CREATE TABLE `out ${SINK}` (shop STRING, price DECIMAL(10, 2))
  WITH ('connector' = 'filesystem', 'path' = '/out', 'format' = 'json');
INSERT INTO `out ${SINK}` -- ${NOTE}
SELECT shop, price FROM orders WHERE shop = '${SHOP}' AND price > ${LEAST};
"""
QUOTED = (TokenKind.STRING, TokenKind.QUOTED)
GIVEN = {"SINK": "x", "NOTE": "n", "SHOP": "berlin", "LEAST": "5"}
ATTACK = "x'; SET 'spark.driver.extraJavaOptions' = '-agentpath:/tmp/evil.so"
PROGRAM = """
def build(t_env):
    t_env.execute_sql("CREATE TABLE orders (shop STRING) WITH ('connector' = 'filesystem', 'path' = '/data', 'format' = 'json')")
    t_env.execute_sql("CREATE TABLE result (shop STRING) WITH ('connector' = 'filesystem', 'path' = '/out', 'format' = 'json')")
    t_env.execute_sql("INSERT INTO result SELECT shop FROM orders WHERE shop = '${SHOP}'")
"""  # noqa: E501


def plan(**given: str):  # type: ignore[no-untyped-def]
    return plan_script(SCRIPT, {**GIVEN, **given}, "report", Path("/"))


def test_a_quote_does_not_end_a_literal() -> None:
    attacked = plan(SHOP=ATTACK)
    assert attacked.settings == ()
    (where,) = [text for clause, text in attacked.inserts[0].meaning if "WHERE" in clause]
    assert ATTACK.replace("'", "''") in where


def test_a_quote_does_not_end_a_literal_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "shops.py").write_text(PROGRAM)
    assert load_report(tmp_path / "shops.py", {"SHOP": ATTACK}).settings == ()


def test_a_backquote_does_not_end_a_name() -> None:
    assert plan(SINK="`; x").inserts[0].name == "out `; x"


@pytest.mark.parametrize(
    "value", ["5' OR '1' = '1", "5; SET 'a' = 'b'", "5 -- all", "5 /* all", "*/ 5", "5\n", "5\u2028", 'a"b', "`a`"]
)
def test_outside_of_quotes_there_is_nothing_that_ends_anything(value: str) -> None:
    with pytest.raises(SqlError, match=r"the value of \$\{LEAST\} has a ") as refused:
        plan(LEAST=value)
    assert (refused.value.at.line, refused.value.at.column) == (7, 67)
    assert "--unsafe-set LEAST=" in str(refused.value) and value not in str(refused.value)


def test_a_comment_is_not_left() -> None:
    assert plan(NOTE="\n; SET 'spark.plugins' = 'x'; --").settings == ()
    assert fill_placeholders("/* ${A} */ 1", {"A": "*/ 2 /*"}) == "/* ${A} */ 1"


@pytest.mark.parametrize(
    ("script", "values"),
    [
        ("SELECT 1 -${A} AND secret", {"A": "-5"}),
        ("SELECT 1 /${A} x */", {"A": "*"}),
        ("SELECT 'a'${A}'b'", {"A": ""}),
        ("SELECT ${A}${B} 1", {"A": "-", "B": "-"}),
        ("FROM t /*+ OPTIONS('path' = '${A}') */", {"A": "*/ , secrets"}),
    ],
)
def test_what_stands_around_is_not_made_a_quote_or_a_comment(script: str, values: dict[str, str]) -> None:
    with pytest.raises(SqlError, match=r"the value of \$\{[AB]\} makes a quote or a comment"):
        fill_placeholders(script, values)


def test_a_literal_in_a_hint_is_one() -> None:
    assert fill_placeholders("/*+ O('p' = '${A}') */", {"A": "x') y('"}) == "/*+ O('p' = 'x'') y(''') */"


def test_an_author_may_allow_any_sql() -> None:
    allowed = Settings(tuple({**GIVEN, "LEAST": "5 AND shop <> 'x' -- \n"}.items()), unsafe=("LEAST",))
    (where,) = [
        text for clause, text in plan_script(SCRIPT, allowed, "r", Path("/")).inserts[0].meaning if "W" in clause
    ]
    assert "'x'" in where


def test_a_value_that_looks_like_a_placeholder_is_none() -> None:
    assert fill_placeholders("'${A}' ${B}", {"A": "${B}", "B": "1"}) == "'${B}' 1"


def test_errors_are_told_at_their_place_in_the_script() -> None:
    with pytest.raises(InputError, match="prize") as wrong:
        plan_script(SCRIPT.replace("price > ", "prize > "), {**GIVEN, "SHOP": "x" * 40}, "r", Path("/"))
    assert str(wrong.value).startswith("line 7, column 59")


_PIECES = ["'", "`", "--", "/*", "*/", "/*+", "\n", " ", "a", "1", "-", "*", "/", ";", "''", "(", ","]
_HOLES = ["${A}", "${B}", "'${A}'", "`x${B}`"]


@given(
    st.lists(st.sampled_from([*_PIECES, *_HOLES]), max_size=9).map("".join),
    *(st.lists(st.sampled_from(_PIECES), max_size=3).map("".join) for _ in "AB"),
)
def test_any_script_keeps_its_quotes_and_statements_whatever_the_values_are(script: str, a: str, b: str) -> None:
    try:
        around = tokenize(script.replace("${A}", "_A_").replace("${B}", "_B_"))
        have = tokenize(fill_placeholders(script, {"A": a, "B": b}))
    except (SqlError, SqlErrors):
        return
    expected = [one.text.replace("_A_", a).replace("_B_", b) for one in around if one.kind in QUOTED]
    assert [one.text for one in have if one.kind in QUOTED] == expected
    assert [one.text for one in have].count(";") == [one.text for one in around].count(";")


def test_time_is_linear() -> None:
    """Ten times the text takes no hundred times as long: that would be minutes here."""
    start = time.monotonic()
    many = 20_000
    fill_placeholders("'${A}' , " * many + "/* " * many, {"A": "''"})
    assert time.monotonic() - start < 20


def test_values_that_can_t_stand_there_are_told_up_to_the_limit_of_problems() -> None:
    """Each takes a look through the script: 30,000 of them took 15 s."""
    start = time.monotonic()
    with pytest.raises(InputError):
        fill_placeholders("${A}," * 30_000, {"A": "'"})
    assert time.monotonic() - start < 8


def test_a_value_at_many_places_is_not_written_to_all_of_them_before_it_is_counted() -> None:
    tracemalloc.start()
    with pytest.raises(InputError, match="the script has 200000002 bytes or more, the limit is 1048576"):
        fill_placeholders("'" + "${A}" * 100_000 + "'", {"A": "x" * 2000})
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()
