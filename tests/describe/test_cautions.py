"""What a report is warned of before it runs. Covers describe/cautions.py and sql/parse/words/reserved.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.describe.cautions import cautions
from airflow_nrt.sql.load import plan_script
from airflow_nrt.table.reports.load import load_report

TABLE = "CREATE TABLE {} ({}) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'json');"


def found(place: Path, columns: str, query: str) -> list[str]:
    script = (
        TABLE.format("t", columns, "t")
        + "CREATE TABLE told (x BIGINT) WITH ('connector' = 'print');"
        + f"INSERT INTO told {query}"
    )
    return cautions(plan_script(script, {}, "report", place))


# Each refused by the parser of Flink 2.3: Encountered "at" at line 1, column 17.
@pytest.mark.parametrize(
    ("columns", "query", "names"),
    [
        ("at TIMESTAMP(3), Ref BIGINT", "SELECT Ref FROM t", "`at`, `Ref`"),
        ("a BIGINT", "SELECT day FROM (SELECT a AS day FROM t)", "`day`"),
        ("a BIGINT", "SELECT user.a FROM t AS user", "`user`"),
        ("r ROW<`at` BIGINT>", "SELECT r.at FROM t", "`at`"),
        ("a BIGINT", "WITH result AS (SELECT a FROM t) SELECT a FROM `result`", "`result`"),
    ],
)
def test_a_name_that_flink_reserves(tmp_path: Path, columns: str, query: str, names: str) -> None:
    wanted = f"reserved in Flink SQL, which takes such a name only in back-quotes: write {names}"
    assert found(tmp_path, columns, query) == [wanted]


@pytest.mark.parametrize(
    ("columns", "query"),
    [
        ("`at` TIMESTAMP(3), `ref` BIGINT", "SELECT t.`ref` FROM t"),
        ("d DATE", "SELECT EXTRACT(DAY FROM d) + YEAR(d) + MONTH(d) FROM t WHERE d < CURRENT_DATE"),
        (
            "ts TIMESTAMP(3)",
            "SELECT CAST(TIMESTAMPDIFF(DAY, ts, TIMESTAMPADD(HOUR, 1, FLOOR(ts TO MINUTE))) AS BIGINT) FROM t",
        ),
        (
            "s STRING",
            "SELECT CAST(JSON_VALUE(s, '$.at' NULL ON EMPTY) AS BIGINT) FROM t WHERE TRIM(BOTH 'x' FROM s) <> ''",
        ),
        ("v BIGINT, ts TIMESTAMP(3)", "SELECT v FROM t WHERE ts IS NOT NULL AND (v > 1 AND v < 2) IS NOT UNKNOWN"),
        (
            "v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts",
            "SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY v ORDER BY ts ASC) AS n FROM t) WHERE n = 1",
        ),
    ],
)
def test_words_in_their_place(tmp_path: Path, columns: str, query: str) -> None:
    assert found(tmp_path, columns, query) == []


def test_in_the_sql_of_a_program(tmp_path: Path) -> None:
    ddl = TABLE.format("t", "at BIGINT", "t") + TABLE.format("told", "x BIGINT", "told")
    program = tmp_path / "program.py"
    program.write_text(f"""def build(t_env):
    t_env.execute_sql({ddl!r})
    t_env.from_path("t").execute_insert("told")
""")
    (caution,) = cautions(load_report(program))
    assert caution.endswith("only in back-quotes: write `at`")
