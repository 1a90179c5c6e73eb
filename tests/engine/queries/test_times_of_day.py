"""TIME at the edges: what files may hold and what is written, ledgers, verification, backfills, Python functions."""

from __future__ import annotations

import json
from datetime import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.ledger import LATE_PREFIX, REJECTED, records
from airflow_nrt.sql.planner import plan_query
from airflow_nrt.table import DataTypes, EnvironmentSettings, TableEnvironment, col, lit, local_time
from tests.engine.reports import HOUR, MORNING, Stream, plan_of, write_lines
from tests.python_modules import write_module

SHIFTS = """
    CREATE TABLE shifts (k INT, t TIME(3), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
    WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/shifts', 'format' = '{0}'{1});
"""
LINES = [
    (1, "10:20:30.5", "2024-06-18 00:00:01"), (2, "23:59:59", "2024-06-18 00:10:00"), (3, None, "2024-06-18 00:20:00"),
    (4, "00:00:00", "2024-06-18 01:00:01"), (5, "10:20:30.5", "2024-06-18 00:00:02"),
    (6, "08:00:00", "2024-06-18 02:00:00"),
]  # fmt: skip
"""The fifth comes late."""
SINK = """
    CREATE TABLE out (window_end TIMESTAMP(3), t TIME(3), n BIGINT, last TIME(3), all_of STRING{0})
    WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/out', 'format' = '{1}');
    INSERT INTO out SELECT window_end, t, COUNT(*), MAX(t + INTERVAL '1' HOUR), CAST(MIN(t) AS STRING){2}
    FROM TABLE(TUMBLE(TABLE shifts, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, t;
"""
NESTED = ", list ARRAY<TIME(3)>", ", ARRAY[t, MAX(t)]"


def write_shifts(place: Path, name: str, rows, file_format: str) -> Path:
    path = place / "shifts" / f"{name}.{file_format}"
    if file_format == "csv":
        return write_lines(path, (",".join("" if one is None else str(one) for one in row) for row in rows))
    if file_format == "json":
        return write_lines(path, (json.dumps(dict(zip(("k", "t", "ts"), row))) for row in rows))
    path.parent.mkdir(parents=True, exist_ok=True)
    values = ", ".join(str(row).replace("None", "NULL") for row in rows)
    columns = f"SELECT k::INT AS k, t::TIME AS t, ts::TIMESTAMP AS ts FROM (VALUES {values}) AS v(k, t, ts)"
    duckdb.sql(f"COPY ({columns}) TO '{path}' (FORMAT parquet)")
    return path


def written(place: Path, file_format: str) -> list[list[str]]:
    """The rows of a sink's files, all values as texts."""
    found: list[list[object]] = []
    for file in place.glob(f"*.{file_format}"):
        if file_format == "parquet":
            found += [list(row.values()) for row in pq.read_table(file).to_pylist()]
        elif file_format == "json":
            found += [list(json.loads(line).values()) for line in file.read_text().splitlines()]
        else:
            found += [line.split(",") for line in file.read_text().splitlines()]
    return [["" if one is None else str(one) for one in row] for row in found]


def streamed(spark, place: Path, file_format: str) -> Stream:
    null = ", 'csv.null-literal' = ''" if file_format == "csv" else ""
    extra = ("", "") if file_format == "csv" else NESTED
    plan = plan_of(place, SHIFTS.format(file_format, null), SINK.format(extra[0], file_format, extra[1]))
    stream = Stream(spark, plan, place / "home")
    for name, part in (("a", LINES[:4]), ("b", LINES[4:])):
        stream.absorb(write_shifts(place, name, part, file_format), source="shifts")
    stream.end()
    return stream


@pytest.mark.parametrize("file_format", ["csv", "json", "parquet"])
def test_a_report_over_times_is_proven_and_made_again(spark, tmp_path: Path, file_format: str) -> None:
    stream = streamed(spark, tmp_path, file_format)
    shown = {tuple(row[1:5]) for row in written(tmp_path / "out", file_format)}
    half = "10:20:30.5" + ("00000" if file_format == "parquet" else "")
    later = half.replace("10:", "11:")
    assert shown == {
        (half, "1", later, "10:20:30.5"),
        ("23:59:59", "1", "00:59:59", "23:59:59.0"),
        ("", "1", "", ""),
        ("00:00:00", "1", "01:00:00", "00:00:00.0"),
        ("08:00:00", "1", "09:00:00", "08:00:00.0"),
    }
    parts = [part for ledger in stream.home.ledger.below() for part in ledger.below()]
    late = [record for part in parts if part.name.startswith(LATE_PREFIX) for record in records(part)]
    assert [record["row"]["t"] for record in late] == ["10:20:30.5"]
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven and verdict.explained == 1
    backfill(spark, stream.plan, stream.home, Interval(MORNING, MORNING + HOUR), False)
    assert verify(spark, stream.plan, stream.home).is_proven
    assert (half, "2", later, "10:20:30.5") in {tuple(row[1:5]) for row in written(tmp_path / "out", file_format)}


WRONG = {
    "csv": ["25:00:00", "1:2:3", "10", " 10:20:30", "10:20:30Z", "24:00:00", "10:20:30.1234567891", "36000000"],
    "json": ["25:00:00", "1:2:3", "10:20", " 10:20:30", "10:20:30Z", "24:00:01", "10:20:60", 36000000],
}
READ = {
    "csv": {"10:20": "10:20:00", "10:20:30.": "10:20:30", "10:20:30.123456789": "10:20:30.123"},
    "json": {"24:00:00": "00:00:00", "10:20:30.": "10:20:30", "10:20:30.123456789": "10:20:30.123"},
}


@pytest.mark.parametrize("file_format", ["csv", "json", "debezium-json"])
def test_what_is_no_time_is_malformed(spark, tmp_path: Path, file_format: str) -> None:
    kind = file_format.removeprefix("debezium-")
    texts = [*READ[kind], *WRONG[kind]]
    rows = [f"{n},{text}" if kind == "csv" else {"k": n, "t": text} for n, text in enumerate(texts)]
    lines = [
        row
        if isinstance(row, str)
        else json.dumps(row if kind == file_format else {"before": None, "after": row, "op": "c"})
        for row in rows
    ]
    columns = "(k INT, t TIME(3)) WITH ('connector' = 'filesystem', 'path' = '${DATA}/{}', 'format' = '" + file_format
    table = f"CREATE TABLE a {columns}', '{file_format}.ignore-parse-errors' = 'true');".replace("{}", "a")
    sink = f"CREATE TABLE out {columns}');".replace("{}", "out")
    plan = plan_of(tmp_path, table, sink, "INSERT INTO out SELECT k, t FROM a;")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(write_lines(tmp_path / "a" / "a.txt", lines), source="a")
    stream.end()
    rejected = [record["line"] for path in stream.home.ledger.below() for record in records(path / REJECTED)]
    assert sorted(rejected) == sorted(lines[len(READ[kind]) :])
    written = "".join(
        file.read_text() for file in sorted((tmp_path / "out").rglob("*.*")) if file.suffix in (".csv", ".json")
    )
    assert all(text in written for text in READ[kind].values())
    assert len(written.splitlines()) == len(texts)


def test_a_time_inside_of_a_value_that_is_none_is_null(spark, tmp_path: Path) -> None:
    good = {"r": {"t": "10:20:30"}, "l": ["10:20:30.5", None], "m": {"a": "01:02:03"}}
    bad = [{"r": {"t": "x"}}, {"l": ["10:20:30", "x"]}, {"m": {"a": "x"}}]
    lines = [json.dumps(one) for one in (good, *bad, {})]
    write_lines(tmp_path / "a" / "a.json", lines)
    ddl = (
        "CREATE TABLE a (r ROW<t TIME>, l ARRAY<TIME(3)>, m MAP<STRING, TIME>) WITH ('connector' = 'filesystem', "
        "'path' = 'a', 'format' = 'json', 'json.ignore-parse-errors' = 'true');"
    )
    rows = [json.loads(row) for row in run_bounded(spark, plan_query(ddl, "SELECT * FROM a", tmp_path), "batch")]
    nothing = {"r": None, "l": None, "m": None}
    left = [{"r": {"t": None}}, {"l": ["10:20:30", None]}, {"m": {"a": None}}, {}]
    assert rows == [good, *({**nothing, **one} for one in left)]


def test_parquet_of_all_units_is_read(spark, tmp_path: Path) -> None:
    times = [time(10, 20, 30, 123000), None, time(0, 0)]
    for unit in (pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        column = pa.array(times, unit)
        rows = pa.table({"t": column, "r": pa.StructArray.from_arrays([column], ["t"])})
        (tmp_path / "a").mkdir(exist_ok=True)
        pq.write_table(rows, tmp_path / "a" / f"{unit.bit_width}{unit.unit}.parquet")
    ddl = (
        "CREATE TABLE a (t TIME(3), r ROW<t TIME(3)>) "
        "WITH ('connector' = 'filesystem', 'path' = 'a', 'format' = 'parquet');"
    )
    query = "SELECT t, r.t AS u, COUNT(*) AS n FROM a GROUP BY t, r.t"
    for mode in ("stream", "batch"):
        rows = [tuple(json.loads(row).values()) for row in run_bounded(spark, plan_query(ddl, query, tmp_path), mode)]
        assert sorted(rows, key=str) == [
            ("00:00:00", "00:00:00", 3), ("10:20:30.123", "10:20:30.123", 3), (None, None, 3),
        ]  # fmt: skip


def test_prints_times_as_flink_does(spark, tmp_path: Path, capfd) -> None:
    texts = ["10:20:30.456", "10:20:30.1", "10:20:30", "10:20:00", None]
    file = write_lines(tmp_path / "a" / "a.json", [json.dumps({"t": text}) for text in texts])
    table = "CREATE TABLE a (t TIME) WITH ('connector' = 'filesystem', 'path' = '${DATA}/a', 'format' = 'json');"
    told = "CREATE TABLE told (t TIME) WITH ('connector' = 'print'); INSERT INTO told SELECT t FROM a;"
    stream = Stream(spark, plan_of(tmp_path, table, told), tmp_path / "home")
    capfd.readouterr()
    stream.absorb(file, source="a")
    stream.end()
    lines = [line for line in capfd.readouterr().out.splitlines() if line.startswith("+I")]
    assert sorted(lines) == sorted(
        f"+I[{one}]" for one in ("10:20:30.456", "10:20:30.100", "10:20:30", "10:20", "null")
    )


MODULE = """
    from datetime import datetime, time, timedelta, timezone
    from airflow_nrt.table.functions import AggregateFunction, DataTypes, udf, udtf

    def later(t: time) -> time: return (datetime.combine(datetime(2024, 1, 1), t) + timedelta(hours=1)).time()
    def zoned(t: time) -> time: return t.replace(tzinfo=timezone.utc)
    seen = udf(lambda t: repr(t), result_type=DataTypes.STRING())

    @udtf(result_types=[DataTypes.TIME(3), DataTypes.INT()])
    def both(t):
        yield t, 1
        yield t.replace(hour=0), 2

    class Latest(AggregateFunction):
        def create_accumulator(self) -> list[time]: return []
        def accumulate(self, kept, t: time): kept.append(t)
        def merge(self, kept, others):
            for one in others: kept.extend(one)
        def get_value(self, kept) -> time: return max(kept)

    class Earliest(AggregateFunction):
        def create_accumulator(self) -> list[time]: return []
        def accumulate(self, kept, t: time): kept.append(t)
        def get_value(self, kept) -> time: return min(kept)
"""


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_python_functions_have_times(spark, tmp_path: Path, mode: str) -> None:
    module = write_module(tmp_path, MODULE)
    names = ("later", "zoned", "seen", "both", "Latest", "Earliest")
    ddl = SHIFTS.format("json", "").replace("${DATA}", str(tmp_path))
    ddl += "".join(f"CREATE FUNCTION {name} AS '{module}.{name}' LANGUAGE PYTHON;" for name in names)
    write_shifts(tmp_path, "a", [row for row in LINES[:4] if row[1] is not None], "json")

    def answer(query: str) -> list[tuple]:
        plan = plan_query(ddl, query, tmp_path)
        return sorted(tuple(json.loads(row).values()) for row in run_bounded(spark, plan, mode))

    assert answer("SELECT k, later(t) AS a, seen(t) AS b, seen(ARRAY[t]) AS c FROM shifts WHERE k < 3") == [
        (1, "11:20:30.5", "datetime.time(10, 20, 30, 500000)", "[datetime.time(10, 20, 30, 500000)]"),
        (2, "00:59:59", "datetime.time(23, 59, 59)", "[datetime.time(23, 59, 59)]"),
    ]
    assert answer("SELECT u, n FROM shifts CROSS JOIN LATERAL TABLE(both(t)) AS f(u, n) WHERE k = 1") == [
        ("00:20:30.5", 2),
        ("10:20:30.5", 1),
    ]
    window = "TABLE(TUMBLE(TABLE shifts, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"
    assert answer(f"SELECT Latest(t) AS a, Earliest(t) AS b FROM {window}") == [
        ("00:00:00", "00:00:00"),
        ("23:59:59", "10:20:30.5"),
    ]
    with pytest.raises(Exception, match="has a zone, a TIME has none: leave it out"):
        answer("SELECT zoned(t) AS a FROM shifts")


def test_programs_have_times(spark, tmp_path: Path) -> None:
    write_shifts(tmp_path, "a", LINES[:4], "json")
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.execute_sql(SHIFTS.format("json", "").replace("${DATA}", str(tmp_path)))
    shifts = env.from_path("shifts")
    result = (
        shifts.where(col("t") > lit(time(9, 30)))
        .select(col("k"), col("t"), lit("3:30:00").to_time.alias("u"), (col("t") + lit(1).hours).alias("v"))
        .order_by(col("k"))
    )
    assert [str(field.type) for field in result.execute().plan.inserts[0].query.fields[1:3]] == [
        "TIME(3)",
        "TIME(0) NOT NULL",
    ]
    frame = result.execute().to_pandas()
    assert list(frame["t"]) == [time(10, 20, 30, 500000), time(23, 59, 59)]
    assert list(frame["u"]) == [time(3, 30)] * 2
    assert list(frame["v"]) == [time(11, 20, 30, 500000), time(0, 59, 59)]
    assert len(list(shifts.where(local_time().is_not_null).execute().collect())) == 4
    assert DataTypes.TIME() == DataTypes.TIME(0) and str(DataTypes.TIME(9)) == "TIME(3)"
    with pytest.raises(InputError, match="has a zone, a TIME has none"):
        lit(time.fromisoformat("10:20:30+01:00"))


def test_a_table_is_not_partitioned_by_a_time(tmp_path: Path) -> None:
    table = (
        "CREATE TABLE a (k INT, t TIME) PARTITIONED BY (t) "
        "WITH ('connector' = 'filesystem', 'path' = 'a', 'format' = 'json');"
    )
    with pytest.raises(InputError, match="table 'a' can't be partitioned by 't', which is TIME: declare it as STRING"):
        plan_query(table, "SELECT k FROM a", tmp_path)
