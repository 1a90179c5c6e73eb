"""CAST, TRY_CAST and their like of texts: what a text stands for is Flink's word, not Spark's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import write_lines

WHOLE = {
    "12": 12, "+12": 12, "-0012": -12, " 12 ": 12, "1.7": 1, "-1.7": -1, "1.": 1, ".5": 0, "-.9": 0,
    "": None, " ": None, "+": None, "1e3": None, "1.7e1": None, "1.7.1": None, "1 2": None, "\t12": None, "12abc": None,
    "0x10": None, "1_000": None, "٣": None, "12L": None,
}  # fmt: skip
APPROXIMATE = {
    "1e3": 1000.0, " 1.5 ": 1.5, "-.5": -0.5, "1.5d": 1.5, "12abc": None, "": None, "inf": None, "nan": None,
    "-infinity": None, "1,5": None,
}  # fmt: skip
DAYS = {
    "2021-09-27": "2021-09-27", "2021-9-7": "2021-09-07", "2021": "2021-01-01", "2021-09": "2021-09-01",
    "2021-09-27 12:34": "2021-09-27", "2021-09-27 nonsense": "2021-09-27", " 2021-9-7 ": "2021-09-07",
    "0021-9-7": "0021-09-07", "00002021-9-7": "2021-09-07", "21": "0021-01-01",
    " 2021-09-27 00:00:00 ": None, "2021-09-27T12:34:56": None, "2021-09-27Z": None, "20210907": None,
    "2021-02-30": None, "2021-13-01": None, "2021-09-": None, "-2021-09-07": None, "now": None, "today": None,
    "epoch": None, "": None, "12:34": None,
}  # fmt: skip
TIMES = {
    "2021-09-27": "2021-09-27 00:00:00.000000",
    "2021-9-7 1:2:3": "2021-09-07 01:02:03.000000",
    "2021-09-27 12:34:56.1": "2021-09-27 12:34:56.100000",
    "2021-09-27 12:34:56.123456789": "2021-09-27 12:34:56.123456",
    "2021-09-27 12:34:56.": "2021-09-27 12:34:56.000000",
    "2021-02-30": "2021-02-28 00:00:00.000000",
    "2024-02-31 01:00:00": "2024-02-29 01:00:00.000000",
    "2021-04-31 01:00:00": "2021-04-30 01:00:00.000000",
    "2021-12-31 24:00:00": "2022-01-01 00:00:00.000000",
    **dict.fromkeys(
        [
            "2021-09-27 12:34", "2021-09-27T12:34:56", "2021-09-27T12:34:56Z", "2021-09-27 12:34:56Z",
            "2021-09-27 12:34:56+09:00", "2021-09-27 12:34:56 UTC", "2021-09-27 12:34:56 Europe/Berlin",
            " 2021-09-27 00:00:00 ", "2021-09-27 ", "2021", "2021-09", "12:34", "T12:34:56", "20210907", "now", "epoch",
            "", "2021-04-32", "2021-12-31 24:00:01", "2021-12-31 25:00:00", "2021-12-31 23:60:00",
            "2021-09-27 12:34:56.1234567890", "99-01-01",
        ]
    ),
}  # fmt: skip
GRAMMARS: dict[str, dict[str, object]] = {
    "INT": {**WHOLE, "2147483647": 2147483647, "2147483648": None},
    "TINYINT": {"127.9": 127, "128": None, "-128": -128},
    "SMALLINT": {"32767": 32767, " 32768": None},
    "BIGINT": {"9223372036854775807.9": 9223372036854775807, "9223372036854775808": None, "1.7": 1},
    "DOUBLE": APPROXIMATE,
    "FLOAT": {**APPROXIMATE, "3.5f": 3.5},
    "DECIMAL(5, 2)": {
        "1.7": "1.70", " 1.555 ": "1.56", "1e2": "100.00", "-.5": "-0.50", "999.99": "999.99",
        "999.995": None, "12abc": None, "": None, "1d": None, "NaN": None,
    },
    "BOOLEAN": {
        "true": True, "TRUE": True, "t": True, "Yes": True, "y": True, "1": True, "false": False, "f": False,
        "No": False, "n": False, "0": False, " true": None, "on": None, "2": None, "": None,
    },
    "DATE": DAYS,
    "TIMESTAMP(6)": TIMES,
    "TIMESTAMP(0)": {"2021-09-27 12:34:56.987": "2021-09-27 12:34:56.000"},
    "TIMESTAMP_LTZ(6)": {
        text: None if said is None else {"2021-09-07 01:02:03.000000": "2021-09-06 16:02:03.000000Z"}.get(said, said)
        for text, said in TIMES.items()
        if said is None or text == "2021-9-7 1:2:3"
    },
}  # fmt: skip
ZONE = "SET 'table.local-time-zone' = 'Asia/Tokyo';"


def table(place: Path, form: str, texts: list[str]) -> str:
    """A table of these texts."""
    line = {"json": lambda n, text: json.dumps({"n": n, "t": text}), "csv": lambda n, text: f'{n},"{text}"'}[form]
    write_lines(place / "t" / f"1.{form}", [line(n, text) for n, text in enumerate(texts)])
    with_empty = ", 'csv.null-literal' = 'NULL'" if form == "csv" else ""
    options = f"'connector' = 'filesystem', 'path' = 't', 'format' = '{form}'{with_empty}"
    return f"{ZONE} CREATE TABLE t (n INT, t STRING) WITH ({options});"


def values(spark, place: Path, ddl: str, sql: str, mode: str = "batch") -> list[object]:
    lines = run_bounded(spark, plan_query(ddl, f"SELECT n, {sql} AS v FROM t", place), mode)
    return [row["v"] for row in sorted(map(json.loads, lines), key=lambda row: row["n"])]


@pytest.mark.parametrize("kind", GRAMMARS)
def test_try_cast(spark, tmp_path: Path, kind: str) -> None:
    grammar = GRAMMARS[kind]
    ddl = table(tmp_path, "json", list(grammar))
    assert dict(zip(grammar, values(spark, tmp_path, ddl, f"TRY_CAST(t AS {kind})"))) == grammar
    replaced = "REPLACE(" * 20 + "t" + ", 'long', '')" * 20
    long = f"TRY_CAST({replaced} AS {kind})"
    assert dict(zip(grammar, values(spark, tmp_path, ddl, long))) == grammar


@pytest.mark.parametrize("kind", GRAMMARS)
def test_cast(spark, tmp_path: Path, kind: str) -> None:
    """What TRY_CAST makes NULL is an error of CAST that names value and type; the others have their values."""
    good = {text: said for text, said in GRAMMARS[kind].items() if said is not None}
    ddl = table(tmp_path, "json", list(good))
    assert dict(zip(good, values(spark, tmp_path, ddl, f"CAST(t AS {kind})"))) == good
    for bad in [text for text, said in GRAMMARS[kind].items() if said is None][:3]:
        ddl = table(tmp_path, "json", [bad])
        with pytest.raises(Exception) as failed:
            values(spark, tmp_path, ddl, f"CAST(t AS {kind})")
        assert str(explained(failed.value)).startswith(f"'{bad}' can't be cast to {kind}"), explained(failed.value)


@pytest.mark.parametrize("mode", ["stream", "batch"])
@pytest.mark.parametrize("form", ["json", "csv"])
def test_formats_and_modes(spark, tmp_path: Path, form: str, mode: str) -> None:
    ddl = table(tmp_path, form, ["1.7", " 2", "2021-02-30", ""])
    assert values(spark, tmp_path, ddl, "TRY_CAST(t AS INT)", mode) == [1, 2, None, None]
    found = values(spark, tmp_path, ddl, "TRY_CAST(t AS TIMESTAMP(3))", mode)
    assert found == [None, None, "2021-02-28 00:00:00.000", None]


def test_inside_others(spark, tmp_path: Path) -> None:
    ddl = table(tmp_path, "json", ["1.7"])
    row = "CAST(ROW(t, ARRAY[t, ' 2 ']) AS ROW<a INT, b ARRAY<INT>>)"
    assert values(spark, tmp_path, ddl, f"CAST({row}.a AS STRING)") == ["1"]
    assert values(spark, tmp_path, ddl, "CAST(ARRAY[t, ' 2 '] AS ARRAY<INT>)") == [[1, 2]]
    assert values(spark, tmp_path, ddl, "CAST(MAP['a', t] AS MAP<STRING, BIGINT>)") == [{"a": 1}]
    assert values(spark, tmp_path, ddl, "TRY_CAST(ARRAY[t, 'x'] AS ARRAY<INT>)") == [None]


def test_functions_read_alike(spark, tmp_path: Path) -> None:
    days = table(tmp_path, "json", list(DAYS))
    assert dict(zip(DAYS, values(spark, tmp_path, days, "TO_DATE(t)"))) == DAYS
    times = table(tmp_path, "json", list(TIMES))
    in_millis = {text: said and said[:-3] for text, said in TIMES.items()}
    assert dict(zip(TIMES, values(spark, tmp_path, times, "TO_TIMESTAMP(t)"))) == in_millis
