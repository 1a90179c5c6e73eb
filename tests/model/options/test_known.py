"""Options: nothing is silently ignored."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.durations import format_duration, parse_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.known import (
    FILE_OPTIONS,
    FORMATS,
    PRINT_OPTIONS,
    REPORT_OPTIONS,
    SOURCE_OPTIONS,
    check_options,
    nearest,
    parse_boolean,
    parse_bytes,
    read_option,
    source_option,
)
from airflow_nrt.model.options.option import OneOf, Option, a_while, many, positive
from airflow_nrt.model.options.rows_and_share import RowsAndShare
from airflow_nrt.model.result_timing import TIMING_OPTIONS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"source.monitor-intervall": "1 s"},
            "orders: there is no option 'source.monitor-intervall'; did you mean 'source.monitor-interval'?",
        ),
        (
            {"SOURCE.MONITOR-INTERVAL": "1 s"},
            "orders: there is no option 'SOURCE.MONITOR-INTERVAL'; did you mean 'source.monitor-interval'?",
        ),
        ({"zzz": "1"}, "orders: there is no option 'zzz'"),
        (
            {"source.monitor-interval": "soon"},
            "orders: option 'source.monitor-interval': 'soon' is not a duration: "
            "write for example '10 min', '30 s', '1 h' or '500 ms'",
        ),
        (
            {"format": "jsn"},
            f"orders: option 'format': 'jsn' is none of {', '.join(map(repr, FORMATS))}",
        ),
        (
            {"csv.ignore-parse-errors": "yes"},
            "orders: option 'csv.ignore-parse-errors': 'yes' is neither 'true' nor 'false'",
        ),
        ({"csv.field-delimiter": "||"}, "orders: option 'csv.field-delimiter': '||' is not one character"),
        (
            {"source.max-batch-size": "much"},
            "orders: option 'source.max-batch-size': 'much' is not a size: write for example '512 mb'",
        ),
    ],
)
def test_what_is_wrong_is_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as wrong:
        check_options(options, SOURCE_OPTIONS, "orders")
    assert str(wrong.value) == message


def test_a_pattern_must_be_a_regular_expression() -> None:
    with pytest.raises(InputError, match=r"'\[' is not a regular expression"):
        check_options({"source.path.regex-pattern": "["}, SOURCE_OPTIONS, "orders")


@pytest.mark.parametrize("known", [FILE_OPTIONS, PRINT_OPTIONS, REPORT_OPTIONS])
def test_each_option_says_what_it_means_and_reads_its_own_default(known: dict) -> None:
    for option in known.values():
        assert option.meaning
        if isinstance(option.default, str):
            assert option.read(option.default) == option.default


def test_values_and_defaults() -> None:
    assert source_option({}, "source.monitor-interval") is None
    assert source_option({"source.monitor-interval": "2 s"}, "source.monitor-interval") == 2_000
    assert source_option({}, "scan.watermark.max-ahead") == 3_600_000
    assert read_option({"parallelism.default": "8"}, REPORT_OPTIONS, "parallelism.default") == 8


@pytest.mark.parametrize(
    ("text", "size"), [("7", 7), ("1 kb", 1024), ("512 mb", 512 << 20), ("2G", 2 << 30), ("1 t", 1 << 40)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_bytes(text) == size


def test_booleans() -> None:
    assert parse_boolean("TRUE") and not parse_boolean("false")
    with pytest.raises(ValueError, match="neither 'true' nor 'false'"):
        parse_boolean("1")


def test_only_a_near_name_is_suggested() -> None:
    assert nearest("ordes", ["orders", "shops"]) == "; did you mean 'orders'?"
    assert nearest("ORDERS", ["orders"]) == "; did you mean 'orders'?"
    assert nearest("x", ["orders", "shops"]) == ""


READERS: dict[Any, str] = {
    parse_boolean: "`true`, `false`",
    parse_bytes: "a size",
    parse_duration: "a duration",
    a_while: "a duration",
    positive: "a number above 0",
    many: "a number above 0",
    RowsAndShare.read: "rows of a day, a share, or both",
}


def takes(option: Option) -> str:
    """The values of an option as its row has them, nothing for a text."""
    if isinstance(option.read, OneOf):
        return ", ".join(f"`{name}`" for name in option.read.names)
    return READERS.get(option.read, "")


def default_of(option: Option) -> str:
    """As it would be written in a WITH clause, nothing where there is none."""
    if option.default in (None, ""):
        return ""
    if isinstance(option.default, bool):
        return f"`{str(option.default).lower()}`"
    if option.read is parse_bytes:
        return f"`{option.default // 1024**2} mb`"
    return f"`{format_duration(option.default) if option.read is parse_duration else option.default}`"


TAKEN = ("Tables of files take", "Tables of `print` take", "Settings that take effect", "Accepted with one value")


def test_the_documentation_lists_each_option_where_it_belongs() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "options.md").read_text(encoding="utf-8")
    told: dict[str, tuple[str, ...]] = {}
    for chapter in text.split("\n## ")[1:]:
        for names in re.findall(r"^(?:\| (?=`)[^|]* \||- .*(?:\n  .*)*)", chapter, flags=re.MULTILINE):
            told.update(dict.fromkeys(re.findall(r"`([^`]+)`", names), chapter.partition("\n")[0]))
    for option in {**FILE_OPTIONS, **PRINT_OPTIONS, **REPORT_OPTIONS}.values():
        if option.name in TIMING_OPTIONS:
            assert f"`{option.name}`" in text
        elif option.idle:
            assert told.pop(option.name) == "Accepted, without effect" and option.idle in text
        elif option.is_refused:
            assert told.pop(option.name) == "Refused" and option.meaning in text
        else:
            chapter = told.pop(option.name)
            assert chapter in TAKEN
            if chapter == "Accepted with one value":
                continue
            cells = next(line for line in text.splitlines() if line.startswith(f"| `{option.name}` |"))
            assert cells == f"| `{option.name}` | {option.meaning} | {takes(option)} | {default_of(option)} |"
    assert told == {}
