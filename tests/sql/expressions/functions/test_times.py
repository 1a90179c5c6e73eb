"""TIME: what Flink 2.3 answered to expressions over times, and what this product answers, as a stream and in batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import write_lines

ANSWERS = [
    json.loads(line) for line in (Path(__file__).parent / "times.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Of an expression Flink's type and value (the type of an aggregate is its operand's), or what it said instead."""
ROW = {
    "t": "10:20:30", "t3": "10:20:30.456", "t9": "10:20:30.123456789", "s": "10:20:30", "bad": "25:00:00",
    "ts": "2024-03-31 13:14:15.123", "l": "2024-03-31 13:14:15.123Z", "d": "2024-03-31", "nt": None,
}  # fmt: skip
DDL = """
    SET 'table.local-time-zone' = 'Asia/Shanghai';
    CREATE TABLE t (
      t TIME, t3 TIME(3), t9 TIME(9), s STRING, bad STRING, ts TIMESTAMP(3), l TIMESTAMP_LTZ(3), d DATE, nt TIME
    ) WITH ('connector' = 'filesystem', 'path' = 'rows', 'format' = 'json');
"""
HERE: dict[str, Any] = {
    # A day has no twenty-fourth hour.
    "CEIL(TIME '23:20:00' TO HOUR)": "00:00:00",
    # Flink's failed only where Python was to see the value.
    "CAST(t AS TIMESTAMP_LTZ(3))": "1970-01-01 02:20:30.000Z",
    "COLLECT(t)": {"10:20:30": 1},
    "(t - t3) SECOND": "INTERVAL '-0 00:00:00.456' DAY TO SECOND",
}
"""Values where Flink has none, or another."""
REFUSED = {"FLOOR(t TO DAY)": "FLOOR: a TIME has no DAY, it has HOUR, MINUTE, SECOND, MILLISECOND"}
"""What Flink answers in vain."""


def expected() -> list[tuple[str, Any]]:
    known = [(one["e"], HERE.get(one["e"], one.get("v"))) for one in ANSWERS if "x" not in one or one["e"] in HERE]
    return [one for one in known if one[0] not in REFUSED]


def planned(place: Path, expressions: list[str]) -> Plan:
    write_lines(place / "rows" / "a.json", [json.dumps(ROW)])
    items = ", ".join(f"{text} AS c{n}" for n, text in enumerate(expressions))
    return plan_query(DDL, f"SELECT {items} FROM t", place)


def is_aggregate(answer: dict[str, Any]) -> bool:
    return "t" not in answer


@pytest.mark.parametrize("mode", ["stream", "batch"])
@pytest.mark.parametrize("aggregates", [False, True])
def test_values_are_those_of_flink(spark, tmp_path, mode, aggregates) -> None:
    groups = {one["e"] for one in ANSWERS if "x" not in one and is_aggregate(one)} | {"COLLECT(t)"}
    asked = [(text, value) for text, value in expected() if (text in groups) == aggregates]
    rows = [json.loads(line) for line in run_bounded(spark, planned(tmp_path, [text for text, _ in asked]), mode)]
    assert len(rows) == 1
    wrong = [
        f"{text} gives {found!r}, expected is {value!r}"
        for (text, value), found in zip(asked, rows[0].values())
        if (list(found.values()) if isinstance(found, dict) and isinstance(value, list) else found) != value
    ]
    assert wrong == []
    assert len(asked) > (6 if aggregates else 80)


def test_types_are_those_of_flink(tmp_path) -> None:
    asked = [one for one in ANSWERS if "t" in one and one["e"] not in REFUSED]
    fields = planned(tmp_path, [one["e"] for one in asked]).inserts[0].query.fields
    times = [(one, field.type.flink) for one, field in zip(asked, fields) if one["t"].startswith("TIME(")]
    # Flink takes the branch while it plans.
    times = [(one, kind) for one, kind in times if one["e"] != "IF(true, t, t3)"]
    assert [f"{one['e']} is {kind}" for one, kind in times if kind != one["t"].removesuffix(" NOT NULL")] == []
    assert len(times) > 40


@pytest.mark.parametrize("text", [one["e"] for one in ANSWERS if "x" in one and one["e"] not in HERE])
def test_what_flink_refuses_is_refused(spark, tmp_path, text) -> None:
    with pytest.raises((InputError, PySparkException)):
        list(run_bounded(spark, planned(tmp_path, [text]), "batch"))


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_meaning_is_refused(tmp_path, text) -> None:
    with pytest.raises(InputError, match=REFUSED[text]):
        planned(tmp_path, [text])


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("10:20:30.5", ("10:20:30", "10:20:30.5", "10:20:30.5")),
        ("10:20:30.456789", ("10:20:30", "10:20:30.457", "10:20:30.4")),
        ("1:2:3.4", ("01:02:03", "01:02:03.4", "01:02:03.4")),
        ("\t7:5\n", ("07:05:00", "07:05:00.0", "07:05:00.0")),
        (" 7 ", ("07:00:00", "07:00:00.0", "07:00:00.0")),
        ("10:20:30.", ("10:20:30", "10:20:30.0", "10:20:30.0")),
        # In Flink it is 24:00:00, which is no time.
        ("23:59:59.9999", ("23:59:59", "23:59:59.999", "23:59:59.9")),
        *((text, (None, None, None)) for text in (
            "24:00:00", "10:60:00", "10:20:60", "T10:20:30", "10:20:30Z", "102030", "-1:00:00", "100:00:00", "10:",
            "10::30", "", " ", "10:20:30 PM", "noon",
        )),
    ],
)  # fmt: skip
def test_how_cast_reads_a_text(spark, tmp_path, text, times) -> None:
    write_lines(tmp_path / "texts" / "a.json", [json.dumps({"s": text})])
    ddl = "CREATE TABLE t (s STRING) WITH ('connector' = 'filesystem', 'path' = 'texts', 'format' = 'json');"
    items = ", ".join(f"CAST(TRY_CAST(s AS TIME({digits})) AS STRING) AS c{digits}" for digits in (0, 3, 1))
    rows = list(run_bounded(spark, plan_query(ddl, f"SELECT {items} FROM t", tmp_path), "batch"))
    assert [tuple(json.loads(row).values()) for row in rows] == [times]


def test_a_text_that_is_no_time_is_named(spark, tmp_path) -> None:
    with pytest.raises(PySparkException, match="'25:00:00' can't be cast to TIME"):
        list(run_bounded(spark, planned(tmp_path, ["CAST(bad AS TIME)"]), "batch"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TIME '24:00:00'", "TIME '24:00:00' does not exist: write HH:mm:ss"),
        ("CAST(t AS BIGINT)", r"TIME\(0\) can't be cast to BIGINT: TIME is cast to and from strings and timestamps"),
        ("DATE_FORMAT(t, 'HH')", r"DATE_FORMAT wants a TIMESTAMP or a string, not TIME\(0\): CAST it to TIMESTAMP"),
        ("EXTRACT(DAY FROM t)", "EXTRACT: a TIME has no DAY, it has HOUR, MINUTE, SECOND, MILLISECOND"),
        ("DAYOFMONTH(t)", "DAYOFMONTH: a TIME has no DAY"),
        ("TIMESTAMPDIFF(HOUR, t, ts)", r"TIMESTAMPDIFF of TIMESTAMP\(3\) and TIME\(0\): CAST one of them"),
        ("t = ts", r"'=' can't compare TIME\(0\) and TIMESTAMP\(3\): CAST one of them"),
        ("t - t3", r"'-' wants numbers, t is TIME\(0\)"),
        ("CAST(s AS TIME(10))", "the precision of TIME must be between 0 and 9, not 10"),
        ("CAST(s AS TIME WITH TIME ZONE)", "TIME has no time zone: write TIME, or TIMESTAMP_LTZ"),
    ],
)
def test_errors_name_the_way_out(tmp_path, text, message) -> None:
    with pytest.raises(InputError, match=message):
        planned(tmp_path, [text])
