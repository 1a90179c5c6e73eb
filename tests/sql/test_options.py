# ruff: noqa: E501 (a row of a table is one line)
"""A Flink script runs with its settings and options: each takes effect, is reported to have none, or is refused."""

from __future__ import annotations

import re

import pytest

from airflow_nrt.describe.without_effect import without_effect
from airflow_nrt.home.identity.fingerprint import fingerprint
from airflow_nrt.model.options.flink_settings import OTHER_SETTINGS
from airflow_nrt.model.options.flink_table_options import OTHER_OPTIONS
from airflow_nrt.model.options.known import FILE_OPTIONS, FORMATS, PRINT_OPTIONS, REPORT_OPTIONS
from airflow_nrt.model.options.option import Option
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError
from tests.sample import ORDERS, REPORT, plan_of

SAMPLES = (
    "true",
    "10 s",
    "7",
    "512 mb",
    "none",
    "UTC",
    "exactly_once",
    "auto",
    "enabled",
    "batch",
    "process-time",
    "on-event",
    "periodic",
    "fixed_delay",
)
"""Texts of which each option reads at least one."""


def readable(option: Option) -> str:
    for text in SAMPLES:
        try:
            option.read(text)
        except ValueError:
            continue
        return text
    raise AssertionError(option.name)


def example(option: Option) -> str:
    """A name of a family, or the option's own."""
    return option.name.replace("*", "x")


def shown(*options: str) -> Plan:
    """A report that prints the rows of a table with these options."""
    kind = next((kind for kind in reversed(FORMATS) if f"'{kind}." in "".join(options)), "csv")
    given = ", ".join(("'connector' = 'filesystem'", "'path' = 'orders'", f"'format' = '{kind}'", *options))
    table = f"{ORDERS[: ORDERS.index('WITH')]} WITH ({given});"
    return plan_of(
        f"{table}CREATE TABLE told (id BIGINT) WITH ('connector' = 'print');INSERT INTO told SELECT id FROM orders;"
    )


def refusal(*options: str) -> str:
    with pytest.raises(SqlError) as wrong:
        shown(*options)
    return wrong.value.message


def of_kind(known: dict[str, Option], kind: str) -> list[Option]:
    return [one for one in known.values() if ("refused" if one.is_refused else "idle" if one.idle else "taken") == kind]


@pytest.mark.parametrize("option", of_kind(REPORT_OPTIONS, "idle"), ids=lambda option: option.name)
def test_a_setting_that_tunes_flink_is_reported_to_have_no_effect(option: Option) -> None:
    plan = plan_of(f"SET '{example(option)}' = '{readable(option)}';\n" + REPORT)
    assert without_effect(plan) == {f"setting '{example(option)}'": option.idle}
    assert (plan.operators, fingerprint(plan)) == (plan_of().operators, fingerprint(plan_of()))


@pytest.mark.parametrize("option", of_kind(FILE_OPTIONS, "idle"), ids=lambda option: option.name)
def test_an_option_that_tunes_flink_is_reported_to_have_no_effect(option: Option) -> None:
    plan = shown(f"'{option.name}' = '{readable(option)}'")
    assert without_effect(plan) == {f"table 'orders', option '{option.name}'": option.idle}
    assert not any(option.name in fact for fact in fingerprint(plan))


@pytest.mark.parametrize("option", of_kind(REPORT_OPTIONS, "refused"), ids=lambda option: option.name)
def test_a_setting_that_is_not_there_is_refused_with_the_way_out(option: Option) -> None:
    with pytest.raises(SqlError, match=re.escape(f"setting '{example(option)}': {option.meaning}")):
        plan_of(f"SET '{example(option)}' = 'x';\n" + REPORT)


@pytest.mark.parametrize("option", of_kind(FILE_OPTIONS, "refused"), ids=lambda option: option.name)
def test_an_option_that_is_not_there_is_refused_with_the_way_out(option: Option) -> None:
    assert refusal(f"'{example(option)}' = 'x'") == f"table 'orders': option '{example(option)}': {option.meaning}"


@pytest.mark.parametrize("option", [*OTHER_OPTIONS, *OTHER_SETTINGS], ids=lambda option: option.name)
def test_an_option_that_has_one_value_here_names_it(option: Option) -> None:
    if option.is_refused:
        return
    with pytest.raises(ValueError) as wrong:
        option.read("another")
    value, way_out = re.fullmatch(
        r"'another' is not '(.*)', which is all there is here: (.+)", str(wrong.value)
    ).groups()  # type: ignore[union-attr]
    assert (option.read(value.upper()) and way_out) or value == ""


def test_what_takes_effect_is_not_reported() -> None:
    assert without_effect(plan_of()) == {}
    assert without_effect(plan_of("SET 'parallelism.default' = '2'; SET 'spark.x' = 'y';\n" + REPORT)) == {}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "'execution.checkpointing.interval' = 'often'",
            "setting 'execution.checkpointing.interval': 'often' is not a duration",
        ),
        (
            "'pipeline.operator-chaining.enabled' = '1'",
            "setting 'pipeline.operator-chaining.enabled': '1' is neither 'true' nor 'false'",
        ),
        (
            "'table.exec.legacy-cast-behaviour' = 'ENABLED'",
            "'ENABLED' is not 'DISABLED', which is all there is here: TRY_CAST",
        ),
        (
            "'table.exec.source.idle-timeot' = '1 s'",
            "there is no setting 'table.exec.source.idle-timeot'; did you mean 'table.exec.source.idle-timeout'?",
        ),
        ("'pipeline.auto-watermark-intervl' = '1 s'", "did you mean 'pipeline.auto-watermark-interval'?"),
    ],
)
def test_a_setting_that_is_wrong(setting: str, message: str) -> None:
    with pytest.raises(SqlError) as wrong:
        plan_of(f"SET {setting};\n" + REPORT)
    assert message in wrong.value.message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("'sink.rolling-policy.file-size' = 'big'", "'big' is not a size"),
        ("'sink.rolling-policy.file-sise' = '1 mb'", "did you mean 'sink.rolling-policy.file-size'?"),
        (
            "'json.fail-on-missing-field' = 'true', 'json.ignore-parse-errors' = 'true'",
            "contradict each other: leave one out",
        ),
        (
            "'parquet.compression' = 'GZIP', 'csv.null-literal' = 'x'",
            "option 'csv.null-literal' is of another format than its 'format', 'parquet'",
        ),
        ("'partition.default-name' = 'none'", "'none' is not '__HIVE_DEFAULT_PARTITION__', which is all there is here"),
    ],
)
def test_an_option_that_is_wrong(options: str, message: str) -> None:
    assert message in refusal(options)


def test_a_sink_quotes_what_must_be_quoted() -> None:
    with pytest.raises(SqlError, match="a sink quotes what holds a delimiter"):
        plan_of(
            REPORT.replace(
                "'path' = 'curve', 'format' = 'json'",
                "'path' = 'curve', 'format' = 'csv', 'csv.disable-quote-character' = 'true'",
            )
        )


def test_print_has_options_of_its_own() -> None:
    assert {"print-identifier", "standard-error"} <= {*PRINT_OPTIONS}
    sink = "CREATE TABLE told (id BIGINT) WITH ('connector' = 'print', {});INSERT INTO told SELECT id FROM orders;"
    assert without_effect(
        plan_of(ORDERS + sink.format("'sink.parallelism' = '1', 'print-identifier' = 'x'"))
    ).keys() == {"table 'told', option 'sink.parallelism'"}
    with pytest.raises(SqlError, match="table 'told': there is no option 'path'"):
        plan_of(ORDERS + sink.format("'path' = 'x'"))


# ---------------------------------------------------------------------------------------------------- NOT NULL

REQUIRED = f"{ORDERS}CREATE TABLE told (shop STRING NOT NULL, id BIGINT) WITH ('connector' = 'print');INSERT INTO told SELECT shop, id FROM orders;"
MAY_NOT = "column 'shop' of table 'told' is NOT NULL, and the query has a NULL for it"


KEYED = f"{ORDERS}CREATE TABLE told (shop STRING, id BIGINT, PRIMARY KEY (shop) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'json');INSERT INTO told SELECT shop, id FROM orders;"


def test_a_column_of_the_primary_key_is_not_null() -> None:
    query = plan_of(KEYED).inserts[0].query.sql
    assert "is NOT NULL, as it is in the PRIMARY KEY, and the query has a NULL for it" in query
    assert "to_json(struct(`shop` AS `shop`, `id` AS `id`)" in query
    dropping = plan_of("SET 'table.exec.sink.not-null-enforcer' = 'drop';" + KEYED).inserts[0]
    assert dropping.query.sql.endswith("WHERE `shop` IS NOT NULL") and "raise_error" not in dropping.query.sql


def test_keys_of_an_older_home_may_be_null_and_a_verification_leaves_out_what_nothing_could_write() -> None:
    keyed, declared = plan_of(KEYED).inserts[0], plan_of(REQUIRED).inserts[0]
    plain = plan_of(KEYED.replace(", PRIMARY KEY (shop) NOT ENFORCED", "")).inserts[0]
    assert keyed.with_null_keys.query.sql == keyed.with_null_keys.without_nulls.query.sql == plain.query.sql
    assert keyed.without_nulls.query.sql == f"SELECT * FROM ({plain.query.sql}) WHERE `shop` IS NOT NULL"
    assert declared.with_null_keys.query.sql == declared.query.sql
    assert plain.with_null_keys == plain.without_nulls == plain


@pytest.mark.parametrize(
    ("setting", "raises", "leaves_out"),
    [
        ("", True, False),
        ("SET 'table.exec.sink.not-null-enforcer' = 'ERROR';", True, False),
        ("SET 'table.exec.sink.not-null-enforcer' = 'DROP';", False, True),
    ],
)
def test_a_null_for_a_column_that_is_not_null(setting: str, raises: bool, leaves_out: bool) -> None:
    query = plan_of(setting + REQUIRED).inserts[0].query.sql
    assert (MAY_NOT.replace("'", "\\'") in query or MAY_NOT in query, "WHERE `shop` IS NOT NULL" in query) == (
        raises,
        leaves_out,
    )
    assert (
        "raise_error"
        not in plan_of(setting + REQUIRED.replace("shop STRING,", "shop STRING NOT NULL,")).inserts[0].query.sql
    )
