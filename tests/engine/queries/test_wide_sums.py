"""SUM and AVG of DECIMALs that need more digits than there are: exact in any cut into batches, or NULL and counted."""

from __future__ import annotations

import json
from decimal import Context, Decimal
from pathlib import Path

import pytest

from airflow_nrt.engine.batch.batch import insert_result
from airflow_nrt.engine.functions.nulled_values import nulled
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.notes.nulled import nulled_expressions
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import Stream, write_lines

TABLE = """
SET 'table.exec.state.unbounded' = 'allow';
CREATE TABLE t (k STRING, p DECIMAL(38, 18), s DECIMAL(18, 10), n BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '{place}/t', 'format' = 'json'{live});
"""
LIVE = ", 'source.monitor-interval' = '1s'"
MOST = "9" * 20 + "." + "9" * 18
SINK = """
CREATE TABLE {name} (k STRING, x DECIMAL(38, 18), y DECIMAL(38, 18)) WITH ('connector' = 'filesystem',
'path' = '{place}/{name}', 'format' = 'debezium-json');
INSERT INTO {name} {query};
"""
HOUR = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
OF_WINDOWS = f"SELECT k, SUM(p), AVG(p) FROM {HOUR} GROUP BY k, window_start, window_end"
WINDOW = "in the window that ends at 2024-06-18 01:00:00"
CASES = {
    # A query, and the places of sums and means beyond 38 digits.
    "windows": (OF_WINDOWS, {f"{WINDOW}, key (large)"}),
    "cumulated": (
        "SELECT k, SUM(p), AVG(p) "
        "FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '30' MINUTE, INTERVAL '1' HOUR)) "
        "GROUP BY k, window_start, window_end",
        {f"{WINDOW}, key (large)"},
    ),
    "hopping": (
        "SELECT k, SUM(DISTINCT p), AVG(DISTINCT p) FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR, "
        "INTERVAL '1' HOUR)) GROUP BY k, window_start, window_end",
        {f"{WINDOW}, key (large)"},
    ),
    "groups": ("SELECT k, SUM(p), AVG(p) FROM t GROUP BY k", {"in the group (large)"}),
    "running": (
        "SELECT k, SUM(p) OVER (PARTITION BY k ORDER BY ts), AVG(p) OVER (PARTITION BY k ORDER BY ts) FROM t",
        {"in the window that ends at 2024-06-18 00:41:00"},
    ),
    "lately": (
        "SELECT k, SUM(DISTINCT p) OVER w, AVG(p) OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY ts RANGE BETWEEN "
        "INTERVAL '2' HOUR PRECEDING AND CURRENT ROW)",
        {"in the window that ends at 2024-06-18 00:41:00"},
    ),
    "in_windows": (
        "SELECT k, SUM(m) OVER (PARTITION BY window_start, window_end), AVG(m) OVER (PARTITION BY window_start, "
        f"window_end) FROM (SELECT k, window_start, window_end, MAX(p) AS m FROM {HOUR} GROUP BY k, window_start, "
        "window_end)",
        {WINDOW},
    ),
}


def row(key: str, amount: str | None, minute: int, **more: object) -> str:
    return json.dumps({"k": key, "p": amount, "ts": f"2024-06-18 00:{minute:02}:00", "n": 1, "s": "1", **more})


BATCHES = [
    # A sum that no part holds, though the sum of all does; one that is too large; and one that fits.
    [row("back", MOST, 1), row("back", MOST, 11), row("large", MOST, 1), row("small", "0.000000000000000001", 2)],
    [row("back", f"-{MOST}", 35), row("large", "0.000000000000000001", 41), row("none", None, 41)],
    [row("back", "-0.000000000000000001", 45), row("small", "12345678901.000000000000000001", 46)],
]
TOTALS = {
    "back": Decimal("99999999999999999999.999999999999999998"),
    "large": None,
    "small": Decimal("12345678901.000000000000000002"),
    "none": None,
}


def report(place: Path, **queries: str) -> Plan:
    sinks = (SINK.format(place=place, name=name, query=query) for name, query in queries.items())
    return plan_script("".join([TABLE.format(place=place, live=LIVE), *sinks]), {}, "report", place)


@pytest.fixture(scope="module")
def streamed(spark, tmp_path_factory: pytest.TempPathFactory) -> Stream:
    place = tmp_path_factory.mktemp("wide")
    stream = Stream(spark, report(place, **{name: query for name, (query, _) in CASES.items()}), place / "home")
    for n, lines in enumerate(BATCHES):
        stream.absorb(write_lines(place / "t" / f"{n}.json", lines), source="t")
    stream.end()
    return stream


def last_of(stream: Stream, table: str) -> dict[str, Decimal | None]:
    """By key, the newest value of `x`."""
    (sink,) = (insert.sink for insert in stream.plan.inserts if insert.name == table)
    files = sorted(Path(sink.path).rglob("[!._]*"), key=lambda path: path.stat().st_mtime_ns)
    files = [path for path in files if path.is_file()]
    rows = [json.loads(line, parse_float=Decimal) for file in files for line in file.read_text().splitlines()]
    return {one["after"]["k"]: one["after"]["x"] for one in rows if one["after"] is not None}


@pytest.mark.parametrize("table", ["windows", "groups"])
def test_a_sum_is_exact_whatever_a_batch_has(streamed: Stream, table: str) -> None:
    found = last_of(streamed, table)
    assert {key: None if value is None else Decimal(value) for key, value in found.items()} == TOTALS


def test_a_stream_counts_each(streamed: Stream) -> None:
    places: dict[str, set[str]] = {}
    for expression, one in nulled_expressions(streamed.home).items():
        places.setdefault(expression, set()).update(one.places)
    assert {text[:3] for text in places} == {"SUM", "AVG"}
    assert places.keys() == {"SUM(p)", "AVG(p)", "SUM(DISTINCT p)", "AVG(DISTINCT p)", "SUM(m)", "AVG(m)"}
    found = sorted(set().union(*places.values()))
    for query, expected in CASES.values():
        assert all(any(place.startswith(one) for place in found) for one in expected), query
    assert not any("small" in place or "none" in place for text in ("SUM(p)", "AVG(p)") for place in places[text])


def test_a_batch_counts_and_agrees(spark, streamed: Stream) -> None:
    session = report_session(spark, streamed.plan)
    splits = {"t": arrived(session, streamed.plan.source("t").table)}
    for insert in streamed.plan.inserts:
        insert_result(session, streamed.plan, insert, splits).collect()
    assert {one.place for one in nulled(session)} >= {f"{WINDOW}, key (large)", "in the group (large)"}
    assert verify(spark, streamed.plan, streamed.home).is_proven


@pytest.mark.parametrize("mode", ["batch", "stream"])
def test_digits_after_the_point_stay(spark, tmp_path: Path, mode: str) -> None:
    """Spark's product of a sum and a power of ten had 6 of them, and its `+` one less than the type."""
    lines = [row("a", f"1.{'0' * 17}{n}", n, s=f"0.123456789{n}") for n in (1, 2)]
    write_lines(tmp_path / "t" / "a.json", lines)
    frame = "(ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW)"
    query = f"SELECT SUM(s) AS a, AVG(s) AS b, SUM(DISTINCT p) AS c FROM {HOUR} GROUP BY window_start, window_end"
    over = f"SELECT SUM(s) OVER {frame} AS a, AVG(s) OVER {frame} AS b, SUM(DISTINCT p) OVER {frame} AS c FROM t"
    expected = {"a": "0.2469135783", "b": "0.1234567892", "c": "2.000000000000000003"}
    for one in (query, over):
        told = run_bounded(spark, plan_query(TABLE.format(place=tmp_path, live=""), one, tmp_path), mode)
        assert max((json.loads(line) for line in told), key=lambda found: found["a"]) == expected


def test_a_variance_has_all_squares(spark, tmp_path: Path) -> None:
    """Squares of numbers of 19 digits have 38: the sum of two did not fit, and was left out of the next ones."""
    numbers = [9 * 10**18 - n for n in range(40)] + [10**18]
    query = f"SELECT k, CAST(STDDEV_POP(n) AS DECIMAL(38, 18)), AVG(p) FROM {HOUR} GROUP BY k, window_start, window_end"
    stream = Stream(spark, report(tmp_path, told=query), tmp_path / "home")
    for n in range(0, len(numbers), 3):
        lines = [row("a", "1", 1, n=number) for number in numbers[n : n + 3]]
        stream.absorb(write_lines(tmp_path / "t" / f"{n:02}.json", lines), source="t")
    stream.end()
    exact = Context(prec=80)
    mean = exact.divide(Decimal(sum(numbers)), Decimal(len(numbers)))
    spread = exact.divide(sum((Decimal(one) - mean) ** 2 for one in numbers), Decimal(len(numbers)))
    assert float(last_of(stream, "told")["a"] or 0) == pytest.approx(float(exact.sqrt(spread)), rel=1e-9)
