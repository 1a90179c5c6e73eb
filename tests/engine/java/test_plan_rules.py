"""Aggregates of rows that lie by key are one step, moments stand beside the code, batches are counted in it, texts are
read and written as bytes, casts take the number that is there: and plans say what they said."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from random import Random

import pytest
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from airflow_nrt.basics.java_sources import SPEED_RULES
from airflow_nrt.basics.types import DataType, decimal
from airflow_nrt.engine.aggregates.total import unscaled
from airflow_nrt.engine.java import java_class
from airflow_nrt.engine.java.fitting import unusable
from airflow_nrt.engine.java.plan_rules import use_plan_rules
from airflow_nrt.engine.sources.formats.values import CSV, JSON, value_sql

KINDS = {
    "hash": "sum(v) FILTER (WHERE v > 5)",
    "object hash": "sort_array(collect_set(v % 3))",
    "sorted": "max(CAST(v AS STRING))",
}


def rows(spark):
    return spark.range(1000).selectExpr("id % 10 AS k", "id AS v")


def steps(frame) -> int:
    return frame._jdf.queryExecution().executedPlan().toString().count("Aggregate")


@pytest.mark.parametrize("kind", KINDS)
def test_one_step_where_rows_lie_by_key(spark, kind: str) -> None:
    call = F.expr(KINDS[kind]).alias("a")
    apart, together = rows(spark).groupBy("k").agg(call), rows(spark).repartition("k").groupBy("k").agg(call)
    assert (steps(apart), steps(together)) == (2, 1)
    assert sorted(together.collect()) == sorted(apart.collect())


def test_one_step_without_any_aggregate(spark) -> None:
    distinct = rows(spark).selectExpr("k", "v % 7 AS v").repartition("k").distinct()
    assert steps(distinct) == 1
    assert distinct.count() == 70


def test_what_an_exchange_or_a_distinct_lies_in_stays(spark) -> None:
    assert steps(rows(spark).groupBy("k").count()) == 2
    counted = rows(spark).selectExpr("k", "v % 7 AS v").repartition("k").groupBy("k").agg(F.count_distinct("v"))
    assert steps(counted) > 1
    assert {row[1] for row in counted.collect()} == {7}


def at(spark, moment: int):
    since = rows(spark).selectExpr("k", f"v + {moment}L AS v").where(f"v >= {moment + 500}L")
    return since.groupBy("k").agg(F.expr(f"min(v - {moment}L) AS v"))


def generated(frame) -> list[str]:
    parts = frame._jdf.queryExecution().debug().codegenToSeq()
    return [parts.apply(n)._2() for n in range(parts.length())]


@pytest.fixture
def compiled(spark) -> Iterator[None]:
    settings = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield
    for name, value in before.items():
        spark.conf.set(name, value)


def test_the_code_of_a_batch_is_that_of_the_one_before(spark, compiled) -> None:
    now, later = at(spark, 1_718_700_000_000), at(spark, 1_718_700_600_000)
    assert generated(now) == generated(later) != []
    # What all batches share stays in the code.
    assert generated(at(spark, 600_000)) != generated(at(spark, 1_200_000))
    assert sorted(later.collect()) == sorted(now.collect()) == [(k, 500 + k) for k in range(10)]


@pytest.mark.parametrize("moment", [2**36, -(2**36), 2**63 - 1, -(2**63)])
def test_a_moment_is_the_number_that_it_was(spark, moment: int) -> None:
    frame = rows(spark).selectExpr(f"greatest(v, {moment}L) AS most", f"CAST({moment}L AS STRING) AS text").limit(1)
    assert frame.collect() == [(max(0, moment), str(moment))]


def test_a_scan_still_asks_its_files_by_moments(spark, tmp_path) -> None:
    place = str(tmp_path / "rows")
    rows(spark).selectExpr("v + 1718700000000L AS v").write.parquet(place)
    frame = spark.read.parquet(place).where("v > 1718700000990L")
    assert "GreaterThan(v,1718700000990)" in frame._jdf.queryExecution().executedPlan().toString()
    assert frame.count() == 9


def test_a_session_goes_without_a_rule_that_does_not_fit(spark, forgotten, monkeypatch, caplog) -> None:
    monkeypatch.setattr(java_class, "source", lambda name: "no Java")
    use_plan_rules(spark, SPEED_RULES)
    for rule in SPEED_RULES:
        assert f"{rule.without}, as {rule.name}.java does not fit here: org.codehaus.commons" in caplog.text
    assert set(unusable(spark)) == {rule.name for rule in SPEED_RULES}
    assert all("CompileException" in why and "\n" not in why for why in unusable(spark).values())


# ------------------------------------------------------------------------------- what a batch counts, beside the rules

METRICS = {
    "all": "count(*)",
    "some": "count(nullif(v % 3, 0))",
    "both": "count(nullif(v % 2, 0), nullif(v % 3, 0))",
    "most": "max(IF(v % 10 = 7, -v, NULL))",
    "none": "max(IF(v < 0, v, NULL))",
}


def measured(frame) -> tuple[DataFrame, Observation]:
    metrics = Observation()
    return frame.observe(metrics, *(F.expr(sql).alias(name) for name, sql in METRICS.items())), metrics


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_metrics_are_those_of_an_aggregate(spark, compiled, count: int) -> None:
    frame = spark.range(0, count, 1, 4).selectExpr("id AS v")
    watched, metrics = measured(frame)
    kept = watched.where("v % 5 = 0").groupBy(F.expr("v % 2").alias("k")).count()
    assert sum(row["count"] for row in kept.collect()) == -(-count // 5)
    assert metrics.get == frame.selectExpr(*(f"{sql} AS {name}" for name, sql in METRICS.items())).first().asDict()


def test_metrics_of_rows_that_two_steps_read_are_counted_once(spark, compiled) -> None:
    watched, metrics = measured(rows(spark))
    moved = watched.repartition(2, "k")
    both = moved.groupBy("k").count().join(moved.groupBy("k").agg(F.max("v").alias("v")), "k")
    assert both.count() == 10
    assert metrics.get["all"] == 1000


def test_metrics_of_rows_that_are_kept_are_counted_once(spark, compiled) -> None:
    watched, metrics = measured(rows(spark).repartition(4))
    cached = watched.selectExpr("k", "v").persist()
    assert cached.count() == cached.count() == 1000
    cached.unpersist()
    assert metrics.get["all"] == 1000


# ---------------------------------------------------------------------------------------------------- plain casts


def test_an_amount_s_number_is_the_one_that_it_has(spark) -> None:
    random = Random(7)
    cents = [random.randint(-(10**15) + 1, 10**15 - 1) for _ in range(3000)]
    amounts = [(Decimal(one).scaleb(-2), one) for one in [*cents, 0, 10**15 - 1, 1 - 10**15]]
    rows = spark.createDataFrame([*amounts, (None, None)], "amount DECIMAL(15, 2), cents BIGINT")
    ours = rows.selectExpr(f"{unscaled('amount', decimal(15, 2))} AS ours", "cents")
    plan = ours._jdf.queryExecution().executedPlan().toString()
    assert "unscaledvalue(" in plan.lower() and "rint(" not in plan
    assert ours.where("NOT ours <=> cents").collect() == []


@pytest.mark.parametrize("number", ["rint(CAST(n AS DOUBLE) * 10D)", "rint(n * 100D)", "CAST(n AS DOUBLE) * 100D"])
def test_another_number_of_an_amount_stays(spark, number: str) -> None:
    rows = spark.createDataFrame([(Decimal("1.26"),)], "n DECIMAL(15, 2)").selectExpr(f"CAST({number} AS BIGINT) AS n")
    expected = 13 if "10D" in number else 126
    assert rows.first()["n"] == expected


def test_a_clock_in_utc_is_the_moment_that_it_shows(spark) -> None:
    micros = [0, -1, 2**62, -(2**62), 1_718_700_000_123_456]
    moments = spark.createDataFrame([(one,) for one in micros], "n BIGINT").selectExpr("n", "timestamp_micros(n) AS t")
    clocks = moments.selectExpr("n", "CAST(t AS TIMESTAMP_NTZ) AS clock")
    back = clocks.selectExpr("n", "CAST(clock AS TIMESTAMP) AS t", "CAST(clock AS STRING) AS shown")
    assert "cast(clock" not in back.drop("shown")._jdf.queryExecution().executedPlan().toString()
    assert back.where("unix_micros(t) <> n").count() == 0
    assert back.where("n = 1718700000123456").first()["shown"] == "2024-06-18 08:40:00.123456"


# ---------------------------------------------------------------------------------------------------- plain texts

STAMP = DataType("TIMESTAMP", 3)
BY_BYTES = {
    "timestamp of csv": value_sql("text", STAMP, CSV),
    "timestamp of json": value_sql("text", STAMP, JSON),
    "decimal": value_sql("text", decimal(10, 2), CSV),
    "fields": "split(text, ',', -1)",
}
BY_SPARK = {
    "timestamp of csv": BY_BYTES["timestamp of csv"].replace("'^ *", "'(?:)^ *"),
    "timestamp of json": BY_BYTES["timestamp of json"].replace("'^ *", "'(?:)^ *"),
    "decimal": BY_BYTES["decimal"].replace("try_cast(text", "try_cast(text COLLATE UTF8_LCASE"),
    "fields": "split(text, '[,]', -1)",
}
"""The same, written so that the rule does not know it."""
PLAIN = {
    "timestamp of csv": "2024-02-29 23:59:59.123456",
    "timestamp of json": "2024-02-29 23:59:59.123456",
    "decimal": "-12345678.90",
    "fields": "1,buyer,,2.50,2024-01-31 09:00:00",
}
ODD = ("", ",", ".", "-", "-.5", "5.", "1e3", " 7", "ä,ö", "x" * 30, "2024-02-30 00:00:00", "0000-01-01 00:00:00")


def spoiled(plain: str, random: Random) -> str:
    """A plain text, of which a few characters are others, are missing, or are too many."""
    for _ in range(random.randint(0, 3)):
        at = random.randint(0, len(plain))
        plain = plain[:at] + random.choice(["", *"0123456789.,:-+ TZeä"]) + plain[at + random.randint(0, 2) :]
    return plain


@pytest.mark.parametrize("kind", BY_BYTES)
def test_a_text_has_the_value_that_spark_reads(spark, kind: str) -> None:
    random = Random(7)
    texts = [PLAIN[kind], *ODD, *(spoiled(PLAIN[kind], random) for _ in range(5000)), None]
    rows = spark.createDataFrame([(one,) for one in texts], "text STRING")
    both = rows.selectExpr("text", f"{BY_BYTES[kind]} AS ours", f"{BY_SPARK[kind]} AS theirs")
    plan = both._jdf.queryExecution().executedPlan().toString()
    assert (BY_BYTES[kind] == BY_SPARK[kind], plan.count("static_invoke(")) == (False, 1)
    shown = both.selectExpr("text", "CAST(ours AS STRING) AS ours", "CAST(theirs AS STRING) AS theirs")
    assert shown.where("NOT ours <=> theirs").collect() == []
    assert shown.where("ours IS NOT NULL").count() > 100


def test_bytes_that_are_no_text_are_split_as_spark_does(spark) -> None:
    rows = spark.createDataFrame([(b"1,\xff,2",), (b"\xc3,",)], "bytes BINARY").selectExpr(
        "CAST(bytes AS STRING) AS text"
    )
    both = rows.selectExpr(f"{BY_BYTES['fields']} AS ours", f"{BY_SPARK['fields']} AS theirs")
    fields = both.selectExpr("CAST(ours AS STRING) AS ours", "CAST(theirs AS STRING) AS theirs")
    assert fields.where("NOT ours <=> theirs").count() == 0


def test_bytes_are_text_where_spark_says_so(spark) -> None:
    random = Random(7)
    texts = [bytes(random.choice(b"aaaaaaaa\xc3\xa4\xff") for _ in range(random.randint(0, 40))) for _ in range(3000)]
    rows = spark.createDataFrame([(one,) for one in [*texts, b"a" * 24, "ä".encode() * 9, None]], "bytes BINARY")
    text = "CAST(bytes AS STRING)"
    both = rows.selectExpr(f"is_valid_utf8({text}) AS ours", f"is_valid_utf8({text} COLLATE UTF8_LCASE) AS theirs")
    assert both._jdf.queryExecution().executedPlan().toString().count("static_invoke(") == 1
    assert both.where("NOT ours <=> theirs").count() == 0
    assert {row[0]: row[1] > 100 for row in both.groupBy("ours").count().where("ours IS NOT NULL").collect()} == {
        True: True,
        False: True,
    }


def test_a_character_is_found_where_spark_finds_it(spark) -> None:
    random = Random(7)
    near = b'!"#\xa2\x22\x23\x21\x00\x01aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
    texts = [bytes(random.choice(near) for _ in range(random.randint(0, 20))) for _ in range(5000)]
    rows = spark.createDataFrame([(one,) for one in [*texts, b"", b"a" * 23 + b'"', None]], "bytes BINARY")
    both = rows.selectExpr("CAST(bytes AS STRING) AS text").selectExpr(
        """contains(text, '"') AS ours""", """instr(text, '"') > 0 AS theirs"""
    )
    assert both._jdf.queryExecution().executedPlan().toString().count("static_invoke(") == 1
    assert both.where("NOT ours <=> theirs").count() == 0
    assert both.where("ours").count() > 1000 and both.where("NOT ours").count() > 1000


WHOLE = "yyyy-MM-dd HH:mm:ss"
FORMATS = (
    WHOLE,
    f"{WHOLE}.S",
    f"{WHOLE}.SSS",
    f"{WHOLE}.SSSSSS",
    "yyyy-MM-dd",
    "yyyy",
    "MM-dd",
    "HH",
    "HH:mm",
    "ss.SS",
    "S",
)


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_NTZ"])
@pytest.mark.parametrize("written", FORMATS)
def test_a_time_is_written_as_spark_does(spark, kind: str, written: str) -> None:
    random = Random(7)
    first, last = -62_135_596_800_000_000, 253_402_300_799_999_999
    edges = [0, -1, 999_999, first, first - 1, last, last + 1, -(2**62), 2**62]
    micros = [*edges, *(random.randint(first, last) for _ in range(5000))]
    times = spark.createDataFrame([(one,) for one in [*micros, None]], "n BIGINT").selectExpr(
        f"CAST(timestamp_micros(n) AS {kind}) AS t"
    )
    # The rule does not know a format with more in it.
    both = times.selectExpr(f'date_format(t, "{written}") AS ours', f"""date_format(t, "{written}'!'") AS theirs""")
    both = both.selectExpr("ours", "substring(theirs, 1, length(theirs) - 1) AS theirs")
    assert both._jdf.queryExecution().executedPlan().toString().count("static_invoke(") == 1
    assert both.where("NOT ours <=> theirs").collect() == []


@pytest.mark.parametrize("other", ["yy", "M", "d", "H", "yyyy-MM-dd HH:mm:ss.SSSSSSS", "yyyy-MM-d", "-MM", "EEE"])
def test_another_format_is_spark_s(spark, other: str) -> None:
    times = spark.range(1).selectExpr("timestamp_micros(1718700000123456) AS t")
    frame = times.selectExpr(f'date_format(t, "{other}") AS t')
    assert "static_invoke(" not in frame._jdf.queryExecution().executedPlan().toString()


def test_another_calendar_is_spark_s(spark) -> None:
    times = spark.range(1).selectExpr("timestamp_micros(1718700000123456) AS t")
    written = f'date_format(t, "{WHOLE}.SSSSSS") AS t'
    policy = "spark.sql.legacy.timeParserPolicy"
    before = spark.conf.get(policy)
    try:
        spark.conf.set(policy, "LEGACY")
        assert times.selectExpr(written).first()["t"] == "2024-06-18 08:40:00.000123"
        spark.conf.unset(policy)
        assert times.selectExpr(written).first()["t"] == "2024-06-18 08:40:00.123456"
    finally:
        spark.conf.set(policy, before)


def test_fields_that_are_kept_are_not_those_of_a_later_line(spark) -> None:
    lines = spark.range(100).repartition(1).selectExpr("concat(id, ',', id + 1) AS text")
    kept = lines.selectExpr(f"{BY_BYTES['fields']} AS fields").agg(F.expr("collect_list(fields) AS all")).first()
    assert [one[0] for one in kept["all"]] == [str(n) for n in range(100)]
