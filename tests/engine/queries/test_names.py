"""Names of the input that windows have, too, and names that UNNEST gives."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from airflow_nrt.table import TableEnvironment, Tumble, col, lit
from tests.engine.reports import write_lines

MODES = ("stream", "batch")
COLUMNS = ("window_start", "window_end", "window_time")
OTHERS = ("s", "e", "t")
ROWS = [(1, 0, 5, 9, 7), (2, 1, 2, 3, 7), (3, 4, 4, 4, 4), (4, 11, 0, 1, 8), (5, 35, 2, 2, 9)]
"""id, the minute of the rowtime, and minutes in the three other times."""


def minute(n: int) -> str:
    return f"2024-05-01 10:{n:02d}:00"


def table(place: Path, names: tuple[str, ...], form: str = "json") -> str:
    rows = [dict(zip(("id", "ts", *names), (n, *map(minute, minutes)))) for n, *minutes in ROWS]
    lines = map(json.dumps, rows) if form == "json" else [",".join(map(str, row.values())) for row in rows]
    write_lines(place / names[0] / f"1.{form}", lines)
    columns = ", ".join(f"{name} TIMESTAMP(3)" for name in ("ts", *names))
    options = f"'connector' = 'filesystem', 'path' = '{names[0]}', 'format' = '{form}'"
    return f"CREATE TABLE t (id INT, {columns}, WATERMARK FOR ts AS ts) WITH ({options});"


def rows(spark, place: Path, ddl: str, query: str, mode: str) -> list[list[object]]:
    found = [json.loads(line) for line in run_bounded(spark, plan_query(ddl, query, place), mode)]
    return sorted(list(row.values()) for row in found)


KINDS = {
    "TUMBLE": "INTERVAL '10' MINUTE",
    "HOP": "INTERVAL '5' MINUTE, INTERVAL '10' MINUTE",
    "CUMULATE": "INTERVAL '5' MINUTE, INTERVAL '20' MINUTE",
    "SESSION": "INTERVAL '10' MINUTE",
}
QUERIES = {
    "aggregated": "SELECT {w}_START(ts, {i}) AS a, {w}_END(ts, {i}) AS b, {w}_ROWTIME(ts, {i}) AS c, COUNT(*) AS n, "
    "MAX({s}) AS m, MIN({e}) AS l, COUNT(DISTINCT {t}) AS d FROM t GROUP BY {w}(ts, {i})",
    "keys": "SELECT {s}, COUNT(*) AS n, {w}_END(ts, {i}) AS b FROM t WHERE {t} > {s} OR {e} IS NULL "
    "GROUP BY {s}, {w}(ts, {i}) HAVING MAX({e}) > MIN({s})",
    "chained": "SELECT TUMBLE_START({e}, INTERVAL '1' HOUR) AS a, SUM(n) AS n FROM (SELECT {w}_START(ts, {i}) AS {s}, "
    "{w}_ROWTIME(ts, {i}) AS {e}, COUNT(*) AS n FROM t GROUP BY {w}(ts, {i})) GROUP BY TUMBLE({e}, INTERVAL '1' HOUR)",
}


@pytest.mark.parametrize(
    ("kind", "what", "mode"),
    [(kind, what, MODES[n % 2]) for n, (kind, what) in enumerate(product(KINDS, QUERIES))],
)
def test_older_windows_add_no_columns(spark, tmp_path: Path, kind: str, what: str, mode: str) -> None:
    """Columns called as those of windows are read like any others."""

    def said(names: tuple[str, ...]) -> list[list[object]]:
        query = QUERIES[what].format(w=kind, i=KINDS[kind], **dict(zip(OTHERS, names)))
        return rows(spark, tmp_path, table(tmp_path, names, "csv" if what == "keys" else "json"), query, mode)

    assert said(COLUMNS) == said(OTHERS) != []


def test_windows_of_programs_add_no_columns(spark, tmp_path: Path) -> None:
    environment = TableEnvironment(base=tmp_path)
    environment.execute_sql(table(tmp_path, COLUMNS).rstrip(";"))
    window = Tumble.over(lit(1).hours).on(col("ts")).alias("w")
    grouped = environment.from_path("t").window(window).group_by(col("w"))
    found = grouped.select(col("w").start.alias("a"), col("window_start").max.alias("m")).execute().collect()
    with found as result:
        assert [row[1]["m"] for row in result] == ["2024-05-01 10:05:00.000"]


def test_no_query_can_name_them(spark, tmp_path: Path) -> None:
    query = "SELECT window_start FROM t GROUP BY TUMBLE(ts, INTERVAL '10' MINUTE)"
    with pytest.raises(InputError, match="no column 'window_start'"):
        plan_query(table(tmp_path, OTHERS), query, tmp_path)
    star = "SELECT * FROM t GROUP BY TUMBLE(ts, INTERVAL '10' MINUTE), id, ts, window_start, window_end, window_time"
    assert len(plan_query(table(tmp_path, COLUMNS), star, tmp_path).inserts[0].query.fields) == 5


LISTS = [
    {"id": 1, "a": ["x", "y"], "n": [[1, 2], [3]], "m": {"k": 7}, "r": [{"f": 1, "g": 2}]},
    {"id": 2, "a": [], "n": [], "m": {}, "r": []},
    {"id": 3, "a": ["z", None], "n": [None], "m": {"k": 8}, "r": [None, {"f": 3, "g": 4}, {}]},
]
LISTED = (
    "CREATE TABLE t (id INT, a ARRAY<STRING>, n ARRAY<ARRAY<INT>>, m MAP<STRING, INT>, r ARRAY<ROW<f INT, g INT>>) "
    "WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');"
)
UNNESTED: dict[str, list[tuple[object, ...]]] = {
    "SELECT id, x FROM t CROSS JOIN UNNEST(a) AS x": [(1, "x"), (1, "y"), (3, "z"), (3, None)],
    "SELECT id, x FROM t, UNNEST(a) x": [(1, "x"), (1, "y"), (3, "z"), (3, None)],
    "SELECT id, x.x FROM t, UNNEST(a) AS x WHERE x <> 'z'": [(1, "x"), (1, "y")],
    "SELECT id, x FROM t LEFT JOIN UNNEST(a) AS x ON TRUE": [(1, "x"), (1, "y"), (2, None), (3, "z"), (3, None)],
    "SELECT id, x FROM t INNER JOIN UNNEST(a) AS x ON x = 'y'": [(1, "y")],
    "SELECT id, y FROM t CROSS JOIN UNNEST(a) AS x (y)": [(1, "x"), (1, "y"), (3, "z"), (3, None)],
    "SELECT id, x, ORDINALITY FROM t CROSS JOIN UNNEST(a) WITH ORDINALITY AS x": [
        (1, "x", 1), (1, "y", 2), (3, "z", 1), (3, None, 2),
    ],
    "SELECT id, v FROM t, UNNEST(n) AS l, UNNEST(l) AS v": [(1, 1), (1, 2), (1, 3)],
    "SELECT id, x FROM t CROSS JOIN UNNEST(ARRAY[id, 9]) AS x WHERE id < 2": [(1, 1), (1, 9)],
    "SELECT id, KEY, x.`VALUE` FROM t CROSS JOIN UNNEST(m) AS x": [(1, "k", 7), (3, "k", 8)],
    "SELECT id, f, x.g FROM t CROSS JOIN UNNEST(r) AS x": [(1, 1, 2), (3, 3, 4), (3, None, None)],
    "SELECT id, f, ORDINALITY FROM t LEFT JOIN UNNEST(r) WITH ORDINALITY AS x ON TRUE": [
        (1, 1, 1), (2, None, None), (3, 3, 2), (3, None, 3),
    ],
    "SELECT x, COUNT(*) AS c FROM t, UNNEST(a) AS x GROUP BY x HAVING x > 'x'": [("y", 1), ("z", 1)],
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", UNNESTED)
def test_unnest(spark, tmp_path: Path, query: str, mode: str) -> None:
    write_lines(tmp_path / "t" / "1.json", map(json.dumps, LISTS))
    lines = run_bounded(spark, plan_query(LISTED, query, tmp_path), mode)
    found = [tuple(json.loads(line).values()) for line in lines]
    assert sorted(found, key=repr) == sorted(UNNESTED[query], key=repr)
