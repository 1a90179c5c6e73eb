"""Where NULLs stand in an order: high in programs, as in PyFlink, low in SQL, as in Flink's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from airflow_nrt.table import EnvironmentSettings, Table, TableEnvironment, col
from airflow_nrt.table.reports.load import load_report
from tests.engine.reports import Stream, source_file, write_lines

VALUES = [3, None, 1, 2, None, 5]
"""By id, from 1."""
HIGH, LOW = [3, 4, 1, 6, 2, 5], [2, 5, 3, 4, 1, 6]
"""The ids by value, upwards, with NULLs as the greatest values and as the least."""
DOWN_HIGH, DOWN_LOW = [2, 5, 6, 1, 4, 3], [6, 1, 4, 3, 2, 5]

Ordered = Callable[[Table], Table]
PROGRAMS: dict[str, tuple[Ordered, list[int]]] = {
    "plain": (lambda t: t.order_by(col("v"), col("id")), HIGH),
    "asc": (lambda t: t.order_by(col("v").asc, col("id").asc), HIGH),
    "desc": (lambda t: t.order_by(col("v").desc, col("id").asc), DOWN_HIGH),
    "of an expression": (lambda t: t.order_by((col("v") + 1).desc, col("id")), DOWN_HIGH),
    "desc, the first": (lambda t: t.order_by(col("v").desc, col("id").asc).fetch(3), DOWN_HIGH[:3]),
    "asc, behind others": (lambda t: t.order_by(col("v").asc, col("id").asc).offset(3).fetch(2), HIGH[3:5]),
    "desc, behind others": (lambda t: t.order_by(col("v").desc, col("id").asc).offset(1).fetch(2), DOWN_HIGH[1:3]),
    "limit": (lambda t: t.order_by(col("v"), col("id")).limit(2, 4), HIGH[4:]),
}
QUERIES = {
    "SELECT id FROM t ORDER BY v, id": LOW,
    "SELECT id FROM t ORDER BY v DESC, id": DOWN_LOW,
    "SELECT id FROM (SELECT * FROM t ORDER BY v DESC, id LIMIT 4)": DOWN_LOW[:4],
    "SELECT id FROM (SELECT * FROM t ORDER BY v, id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY)": LOW[1:3],
}


def environment_of(place: Path, mode: str = "stream") -> TableEnvironment:
    """With table `t`, of which a stream reads a file a batch."""
    for n, value in enumerate(VALUES, 1):
        write_lines(place / "t" / f"{n}.json", [json.dumps({"id": n, "v": value})])
    environment = TableEnvironment(EnvironmentSettings(mode), base=place)
    environment.execute_sql(
        "CREATE TABLE t (id INT, v INT) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json', "
        "'source.max-batch-size' = '1 b')"
    )
    return environment


def ids(table: Table) -> list[int]:
    return [row["id"] for row in table.execute().rows()]


@pytest.mark.parametrize("mode", ["stream", "batch"])
@pytest.mark.parametrize("what", PROGRAMS)
def test_programs(spark, tmp_path: Path, what: str, mode: str) -> None:
    ordered, expected = PROGRAMS[what]
    found = ids(ordered(environment_of(tmp_path, mode).from_path("t")))
    few = len(expected) < len(VALUES)
    # Which rows are the first is what LIMIT says; in which order these stand is said by ORDER BY alone.
    assert sorted(found) == sorted(expected) if few else found == expected


@pytest.mark.parametrize("mode", ["stream", "batch"])
@pytest.mark.parametrize("query", QUERIES)
def test_sql(spark, tmp_path: Path, query: str, mode: str) -> None:
    found, expected = ids(environment_of(tmp_path, mode).sql_query(query)), QUERIES[query]
    assert sorted(found) == sorted(expected) if len(expected) < len(VALUES) else found == expected


PROGRAM = """
from airflow_nrt.table import TableEnvironment, col

def build(t_env: TableEnvironment) -> None:
    t_env.execute_sql("CREATE TABLE t (id INT, v INT) WITH ('connector'='filesystem', 'path'='t', 'format'='json')")
    t_env.execute_sql("CREATE TABLE o (id INT, v INT) WITH ('connector'='filesystem', 'path'='o', 'format'='json')")
    t_env.from_path("t").order_by(col("v").desc, col("id")).execute_insert("o")
"""


def test_report(spark, tmp_path: Path) -> None:
    environment_of(tmp_path)
    (tmp_path / "sorted.py").write_text(PROGRAM)
    plan = load_report(tmp_path / "sorted.py")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.driver.absorb("t", [source_file(file) for file in sorted((tmp_path / "t").iterdir())], ends=True)
    (file,) = (tmp_path / "o").glob("*.json")
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == DOWN_HIGH
