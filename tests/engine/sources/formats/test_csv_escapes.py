"""Escapes in csv: each record was read by Flink 2.3 once."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.sql.load import plan_script
from tests.engine.sources.test_options import read

BACKSLASH = "'csv.escape-character' = '\\'"
READ = {
    r"a\,b,c": ("a,b", "c"),
    r'"a\"b",c': ('a"b', "c"),
    r'"a\nb",c\td': ("a\nb", "c\td"),
    '"a""b",c': ('a"b', "c"),
    r"a\"b,c": ('a"b', "c"),
    r'a\\b,"c\\"': (r"a\b", "c\\"),
    r"\"a,b": ('"a', "b"),
    '"a\\\nb",c': ("a\nb", "c"),
    "a\\\nb,c": ("a\nb", "c"),
    "\\\nb,c": ("\nb", "c"),
    '"a\\"\n,\\"b",c': ('a"\n,"b', "c"),
    'a\\\n"b,c': ('a\n"b', "c"),
    r'"a\0b",c': ("a\x00b", "c"),
    r"\#a,b": ("#a", "b"),
    r"N\A,b": (None, "b"),
    r"\r\x,": ("\rx", ""),
    "a\\\\,b": ("a\\", "b"),
}


def test_fields_are_those_of_flink(spark, tmp_path: Path) -> None:
    more = "'csv.null-literal' = 'NA'", "'csv.allow-comments' = 'true'"
    lines = ["# a comment\\", *READ]
    found = read(spark, tmp_path, "a STRING, b STRING", "csv", lines, BACKSLASH, *more)
    assert [(row["a"], row["b"]) for row in found] == list(READ.values())


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("'csv.escape-character' = '#', 'csv.quote-character' = ''''", "'a#'b',c"),
        (f"{BACKSLASH}, 'csv.disable-quote-character' = 'true'", r"a\'b,c"),
        (r"'csv.escape-character' = U&'\007C'", "a|'b,c"),
    ],
)
def test_other_characters(spark, tmp_path: Path, options: str, line: str) -> None:
    assert read(spark, tmp_path, "a STRING, b STRING", "csv", [line], options) == [{"a": "a'b", "b": "c"}]


def test_quotes_that_escape_quotes(spark, tmp_path: Path) -> None:
    """It is what they do anyway."""
    found = read(spark, tmp_path, "a STRING, b STRING", "csv", ['"a""b",c'], "'csv.escape-character' = '\"'")
    assert found == [{"a": 'a"b', "b": "c"}]


def test_what_is_torn(spark, tmp_path: Path) -> None:
    ignore = "'csv.ignore-parse-errors' = 'true'"
    lines = [r'"a\",b', "c,d"]
    assert read(spark, tmp_path, "a STRING, b STRING", "csv", lines[:1], BACKSLASH, ignore) == []


def test_the_delimiter_escapes_nothing(spark, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="are the same character, ','"):
        read(spark, tmp_path, "a STRING", "csv", [], "'csv.escape-character' = ','")


def test_a_sink_escapes_nothing(tmp_path: Path) -> None:
    files = f"'connector' = 'filesystem', 'path' = '{tmp_path}/%s', 'format' = 'csv'"
    a = f"CREATE TABLE a (x STRING) WITH ({files % 'a'});"
    b = f"CREATE TABLE b (x STRING) WITH ({files % 'b'}, {BACKSLASH});"
    with pytest.raises(InputError, match="a sink writes a quote twice"):
        plan_script(f"{a} {b} INSERT INTO b SELECT x FROM a;", {}, "x", tmp_path)
