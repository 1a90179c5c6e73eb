"""Row windows that begin anew, over processing time: rows are in them by the clock of their batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.table.reports.load import load_report
from tests.engine.reports import MINUTE, MORNING
from tests.engine.time.live import EVENTS, Live

PROGRAM = """
from airflow_nrt.table import SessionRows, TumbleRows, col, lit, row_interval


def build(t_env):
    t_env.execute_sql('''{table}''')
    t_env.execute_sql('''
        CREATE TABLE anew (n INT, s1 INT, s2 INT, s3 INT)
        WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/anew', 'format' = 'json')
    ''')
    odd = col("n") % 2
    t_env.from_path("events").over_window(
        TumbleRows.over(lit(5).minutes).on(col("pt")).alias("t"),
        TumbleRows.partition_by(odd).over(row_interval(2)).on(col("pt")).alias("r"),
        SessionRows.with_gap(lit(1).minutes).on(col("pt")).alias("s"),
    ).select(
        col("n"), col("n").sum.over(col("t")), col("n").sum.over(col("r")), col("n").sum.over(col("s")),
    ).execute_insert("anew")
"""


def lived(spark, tmp_path: Path, program: str, **values: str) -> Live:
    # A process knows a program by its name.
    report = tmp_path / f"{tmp_path.name}.py"
    table = EVENTS.format(proctime="PROCTIME").replace("${DATA}", str(tmp_path))
    report.write_text(program.format(table=table, **values))
    return Live(spark, tmp_path, load_report(report, {"DATA": str(tmp_path)}))


def test_the_clock_decides(spark, tmp_path: Path) -> None:
    live = lived(spark, tmp_path, PROGRAM)
    live.absorb(MORNING, 1, 2)
    live.absorb(MORNING + MINUTE, 4)
    live.restart()
    live.absorb(MORNING + 3 * MINUTE, 8, 3)
    live.absorb(MORNING + 5 * MINUTE, 16)
    # A frame of time holds all rows of its moment; those of a number, and sessions, count rows as they came.
    assert live.rows("anew") == [
        [1, 3, 1, 1], [2, 3, 2, 3], [3, 18, 4, 11], [4, 7, 6, 7], [8, 18, 8, 8], [16, 16, 24, 16],
    ]  # fmt: skip
    verdict = verify(spark, live.plan, live.stream.home)
    assert (verdict.is_proven, verdict.late_rows) == (True, 0)


SLIDING = """
from airflow_nrt.table import SlideRows, col, lit, row_interval


def build(t_env):
    t_env.execute_sql('''{table}''')
    t_env.execute_sql('''
        CREATE TABLE around (n INT, s INT)
        WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/around', 'format' = 'json')
    ''')
    t_env.from_path("events").over_window(
        SlideRows.preceding({length}).following({length}).on(col("pt")).alias("w"),
    ).select(col("n"), col("n").sum.over(col("w"))).execute_insert("around")
"""


@pytest.mark.parametrize(
    ("length", "before", "after"),
    [
        ("lit(1).minutes", [[1, 3], [2, 3]], [[1, 3], [2, 3], [4, 12], [8, 12]]),
        ("row_interval(1)", [[1, 3], [2, 7], [4, 14]], [[1, 3], [2, 7], [4, 14], [8, 12]]),
    ],
)
def test_rows_that_wait_come_with_the_end_of_the_input(
    spark, tmp_path: Path, length: str, before: list[list[int]], after: list[list[int]]
) -> None:
    live = lived(spark, tmp_path, SLIDING, length=length)
    live.absorb(MORNING, 1, 2)
    live.absorb(MORNING + 2 * MINUTE, 4)
    live.absorb(MORNING + 2 * MINUTE + 1, 8)
    assert live.rows("around") == before
    live.stream.end()
    assert live.rows("around") == after
    verdict = verify(spark, live.plan, live.stream.home)
    assert (verdict.is_proven, verdict.late_rows) == (True, 0)


IN_PARTS = """
from airflow_nrt.table import SlideRows, col, lit, row_interval


def build(t_env):
    t_env.execute_sql('''{table}''')
    t_env.execute_sql('''
        CREATE TABLE around (n INT, s1 INT, s2 INT, s3 INT)
        WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/around', 'format' = 'json')
    ''')
    t_env.from_path("events").over_window(
        SlideRows.preceding(row_interval(0)).following(row_interval(1)).on(col("pt")).alias("r"),
        SlideRows.partition_by(col("n") % 2).following(row_interval(1)).on(col("pt")).alias("odd"),
        SlideRows.preceding(lit(1).minutes).on(col("pt")).alias("t"),
    ).select(
        col("n"), col("n").sum.over(col("r")), col("n").sum.over(col("odd")), col("n").sum.over(col("t")),
    ).execute_insert("around")
"""


def test_a_row_comes_with_the_last_that_it_waits_for(spark, tmp_path: Path) -> None:
    live = lived(spark, tmp_path, IN_PARTS)
    live.absorb(MORNING, 1, 2)
    live.absorb(MORNING + MINUTE, 4)
    assert live.rows("around") == [[2, 6, 6, 3]]
    live.restart()
    live.absorb(MORNING + 3 * MINUTE, 3)
    assert live.rows("around") == [[1, 3, 4, 3], [2, 6, 6, 3]]
    live.stream.end()
    assert live.rows("around") == [[1, 3, 4, 3], [2, 6, 6, 3], [3, 3, 4, 3], [4, 7, 6, 7]]
    verdict = verify(spark, live.plan, live.stream.home)
    assert (verdict.is_proven, verdict.late_rows) == (True, 0)
