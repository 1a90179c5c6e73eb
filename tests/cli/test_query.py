"""`airflow-nrt query`: bounded input to the end, as a stream and in batch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

CASE = Path(__file__).resolve().parents[1] / "golden" / "cases" / "inorder" / "flip145_cumulate_sum"


@pytest.fixture
def question(tmp_path: Path) -> tuple[object, ...]:
    (tmp_path / "ddl.sql").write_text((CASE / "ddl.sql").read_text().replace("${CASE_DIR}", str(CASE)))
    return ("query", "--ddl", tmp_path / "ddl.sql", "--query", CASE / "query.sql", "--master", "local[2]")


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_the_result_is_what_flink_gives(
    spark_command: Command, question: tuple[object, ...], tmp_path: Path, mode: str
) -> None:
    answer = spark_command(*question, "--mode", mode, "--out", tmp_path / "out.jsonl")
    rows = (tmp_path / "out.jsonl").read_text().splitlines()
    assert (answer.status, answer.out) == (0, "")
    assert answer.err == f"{len(rows)} rows written to {tmp_path / 'out.jsonl'}\n"
    expected = (CASE / "expected.jsonl").read_text().splitlines()
    assert sorted(map(_canonical, rows)) == sorted(map(_canonical, expected))


def test_windows_lie_on_the_clock_that_the_command_names(spark_command: Command, tmp_path: Path) -> None:
    shanghai = CASE.parents[1] / "disordered" / "tz_sh_day"
    (tmp_path / "ddl.sql").write_text((shanghai / "ddl.sql").read_text().replace("${CASE_DIR}", str(shanghai)))
    files = ("--ddl", tmp_path / "ddl.sql", "--query", shanghai / "query.sql")
    answer = spark_command("query", *files, "--mode", "batch", "--master", "local[2]", "--tz", "Asia/Shanghai")
    expected = (shanghai / "expected.jsonl").read_text().splitlines()
    assert sorted(map(_canonical, answer.out.splitlines())) == sorted(map(_canonical, expected))


def test_a_query_on_the_command_line(spark_command: Command, tmp_path: Path) -> None:
    (tmp_path / "n").mkdir()
    (tmp_path / "n" / "1.csv").write_text("1;x\n2;y\n")
    table = f"CREATE TABLE n (n INT, t STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/n', "
    table += "'format' = 'csv', 'csv.field-delimiter' = ';')"
    answer = spark_command("query", "-e", f"{table}; SELECT n + 1 AS m, t || ';' AS t FROM n;", "--master", "local[2]")
    assert (answer.status, sorted(answer.out.splitlines())) == (0, ['{"m":2,"t":"x;"}', '{"m":3,"t":"y;"}']), answer.err


@pytest.mark.process
def test_a_start_of_spark_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "n").mkdir()
    (tmp_path / "n" / "1.csv").write_text("1\n")
    table = f"CREATE TABLE n (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/n', 'format' = 'csv')"
    command = [sys.executable, "-m", "airflow_nrt.cli.main", "query", "-e", f"{table}; SELECT n FROM n"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ('{"n":1}\n', "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT nope FROM nowhere", "-e: line 1, column 18: there is no table"),
        (
            "CREATE TABLE x (n INTT) WITH ('connector' = 'print'); SELECT 1",
            "-e: line 1, column 19: there is no type INTT",
        ),
        ("SELECT 'open", "-e: line 1, column 8: "),
    ],
)
def test_a_wrong_query_on_the_command_line(command: Command, text: str, message: str) -> None:
    answer = command("query", "-e", text)
    assert (answer.status, answer.out) == (2, "") and message in answer.err


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_a_changelog_ends_with_the_table(spark_command: Command, tmp_path: Path, mode: str) -> None:
    sold = CASE.parent / "changelog_group_by"
    (tmp_path / "ddl.sql").write_text((sold / "ddl.sql").read_text().replace("${CASE_DIR}", str(sold)))
    files = ("--ddl", tmp_path / "ddl.sql", "--query", sold / "query.sql", "--mode", mode, "--master", "local[2]")
    expected = sorted(map(_canonical, (sold / "expected.jsonl").read_text().splitlines()))
    changes = [json.loads(line) for line in spark_command("query", *files, "--changelog").out.splitlines()]
    assert {change["op"] for change in changes} == {"+I"}
    assert sorted(json.dumps(change["row"], sort_keys=True) for change in changes) == expected
    assert sorted(map(_canonical, spark_command("query", *files).out.splitlines())) == expected


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_rows_are_sorted_by_what_need_not_be_selected(spark_command: Command, tmp_path: Path, mode: str) -> None:
    sold = CASE.parent / "changelog_group_by"
    (tmp_path / "ddl.sql").write_text((sold / "ddl.sql").read_text().replace("${CASE_DIR}", str(sold)))
    (tmp_path / "query.sql").write_text("SELECT id AS number FROM bid AS b ORDER BY b.item DESC, qty * 2, number")
    files = ("--ddl", tmp_path / "ddl.sql", "--query", tmp_path / "query.sql", "--mode", mode, "--master", "local[2]")
    rows = [json.loads(line) for line in (sold / "input_bid.jsonl").read_text().splitlines()]
    rows.sort(key=lambda row: (row["qty"] is not None, row["qty"], row["id"]))
    rows.sort(key=lambda row: row["item"] or "", reverse=True)
    assert spark_command("query", *files).out.splitlines() == [f'{{"number":{row["id"]}}}' for row in rows]


def test_a_zone_that_is_none(command: Command, question: tuple[object, ...]) -> None:
    answer = command(*question, "--tz", "Shanghai")
    assert answer.status == 2
    assert answer.err.startswith("airflow-nrt: --tz: there is no time zone 'Shanghai'")


def _canonical(line: str) -> str:
    return json.dumps(json.loads(line), sort_keys=True)


def test_the_result_goes_to_standard_output(spark_command: Command, question: tuple[object, ...]) -> None:
    answer = spark_command(*question)
    assert (answer.status, answer.err) == (0, "")
    assert len(answer.out.splitlines()) == len((CASE / "expected.jsonl").read_text().splitlines())


def test_a_wrong_query_has_its_place(command: Command, question: tuple[object, ...], tmp_path: Path) -> None:
    wrong = tmp_path / "query.sql"
    wrong.write_text("SELECT *\nFROM Bids")
    answer = command(*question[:3], "--query", wrong, "--out", tmp_path / "out.jsonl")
    assert answer.status == 2
    assert answer.err.startswith(
        f"airflow-nrt: {wrong}: line 2, column 6: there is no table or view 'Bids'; did you mean 'Bid'?"
    )
    assert not (tmp_path / "out.jsonl").exists()


def test_wrong_tables_are_no_wrong_query(command: Command, question: tuple[object, ...], tmp_path: Path) -> None:
    (tmp_path / "wrong.sql").write_text("CREATE TABLE t (a STRNG, b STRNG);")
    answer = command("query", "--ddl", tmp_path / "wrong.sql", *question[3:])
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"airflow-nrt: {tmp_path / 'wrong.sql'}: line 1, column 19: there is no type STRNG")


def test_a_byte_order_mark_is_passed_over(command: Command, question: tuple[object, ...], tmp_path: Path) -> None:
    (tmp_path / "marked.sql").write_text((tmp_path / "ddl.sql").read_text(), encoding="utf-8-sig")
    (tmp_path / "query.sql").write_text("SELECT nope FROM Bid", encoding="utf-8-sig")
    answer = command("query", "--ddl", tmp_path / "marked.sql", "--query", tmp_path / "query.sql")
    assert answer.err.startswith(f"airflow-nrt: {tmp_path / 'query.sql'}: line 1, column 8: there is no column 'nope'")


def test_files_that_are_not_there(command: Command, question: tuple[object, ...], tmp_path: Path) -> None:
    answer = command(*question[:3], "--query", tmp_path / "none.sql")
    assert answer.status == 2
    assert answer.err.startswith(f"airflow-nrt: can't read {tmp_path / 'none.sql'}: ")
