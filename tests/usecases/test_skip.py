"""A row that can't be read is left out of a living home, by its place."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError, InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.faults import SKIPPING, VARIABLE
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.skipped import ask, asked
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.sql.load import plan_script
from airflow_nrt.usecases.requests.skip import SkipRequest, SkipResult
from airflow_nrt.usecases.skip import leave_out, rows_at, skip, source_named, take_back
from tests.engine.reports import HOUR, MINUTE, MORNING, rows_of, write_lines

TEN = Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR)


def plan(place: Path, form: str = "json", computed: str = "") -> Plan:
    return plan_script(
        f"""CREATE TABLE t (id INT, ts TIMESTAMP(3){computed}, WATERMARK FOR ts AS ts) WITH (
        'connector' = 'filesystem', 'path' = '{place}/t', 'format' = '{form}', 'source.monitor-interval' = '1s',
        'source.rejected.limit' = '0');
        CREATE TABLE told (e TIMESTAMP(3), n BIGINT, ids BIGINT)
        WITH ('connector' = 'filesystem', 'path' = '{place}/told', 'format' = 'json');
        INSERT INTO told SELECT window_end, COUNT(*), SUM(id) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts),
        INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;""",
        {},
        "report",
        place,
    )


def row(number: object, minute: int) -> str:
    return json.dumps({"id": number, "ts": f"2024-06-18 10:{minute:02}:00"})


def run(spark, home: Home, report: Plan) -> None:
    Runner(spark, report, Home.create(home.path, report), available_now=True).run()


def left_out(spark, home: Home, report: Plan, *places: str, source: str | None = None) -> SkipResult:
    """As the command does it, in the session of the test."""
    named = source_named(report, source)
    return leave_out(home, named.name, rows_at(spark, named, places))


def rejections(home: Home) -> list[tuple[str, str]]:
    return [(one["reason"], one["line"]) for path in home.ledger.below() for one in records(path / REJECTED)]


def test_a_report_goes_on_without_a_line(spark, tmp_path: Path) -> None:
    report = plan(tmp_path)
    home = Home.create(tmp_path / "home", report)
    write_lines(tmp_path / "t" / "1.json", [row(1, 1)])
    run(spark, home, report)
    write_lines(tmp_path / "t" / "2.json", [row(2, 2), "", "torn", row(4, 3), row(8, 25)])
    with pytest.raises(DataError, match=r"goes on with that, or without this row \(`airflow-nrt skip`\)"):
        run(spark, home, report)
    done = left_out(spark, home, report, f"{tmp_path}/t/2.json@3")
    assert done.rows == {"t": (f"{tmp_path}/t/2.json@3",)} and done.added == 1
    again = left_out(spark, home, report, "sub/../2.json:3", source="t")
    assert again.rows == done.rows == skip(SkipRequest(str(home.path)), print).rows and not again.added
    run(spark, home, report)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(3, 7)]
    assert rejections(home) == [("skipped", "torn")]
    verdict = verify(spark, report, home)
    backfill(spark, report, home, Interval(TEN.start, MORNING + 10 * HOUR + 10 * MINUTE), False)
    assert verdict.is_proven and [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(3, 7)]
    with pytest.raises(InputError, match=r"2.json@1 was read by entry 4: what an entry has read stays as it is"):
        left_out(spark, home, report, "2.json@1")
    with pytest.raises(InputError, match=r"2.json@3 was read by entry 4: what an entry has read stays as it is"):
        take_back(SkipRequest(str(home.path), done.rows["t"]))


def test_nothing_is_computed_of_it(spark, tmp_path: Path) -> None:
    """A computed column of it has no result, and its fields are fine."""
    report = plan(tmp_path, computed=", share AS 100 / id")
    write_lines(tmp_path / "t" / "1.json", [row(0, 1), row(4, 2)])
    home = Home.create(tmp_path / "home", report)
    left_out(spark, home, report, "1.json@1")
    backfill(spark, report, home, TEN, False)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(1, 4)]


@pytest.mark.parametrize("ends", ["csv", "csv.gz"])
def test_a_record_of_several_lines(spark, tmp_path: Path, ends: str) -> None:
    report = plan(tmp_path, "csv")
    lines = ["1,2024-06-18 10:01:00", '"x', 'y",2024-06-18 10:02:00', "4,2024-06-18 10:03:00", '8" tv,2024-06-18']
    content = "".join(f"{line}\r\n" for line in lines).encode()
    file = tmp_path / "t" / f"1.{ends}"
    file.parent.mkdir()
    file.write_bytes(gzip.compress(content) if ends == "csv.gz" else content)
    home = Home.create(tmp_path / "home", report)
    with pytest.raises(InputError, match=r"no row of .* begins in line 3"):
        left_out(spark, home, report, f"1.{ends}@3")
    left_out(spark, home, report, f"1.{ends}@2", f"1.{ends}@5")
    backfill(spark, report, home, TEN, False)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(2, 5)]


LINES = {
    "a mark at the beginning": b"\xef\xbb\xbftorn",
    "no UTF-8": b'{"id": 1, "caf\xe9',
    "no UTF-8, and long": b'{"id": 1, "' + b"\xe9" * 300,
    "an open end": b'{"id": "',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_bytes_of_any_kind(spark, tmp_path: Path, line: bytes) -> None:
    report = plan(tmp_path)
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "1.json").write_bytes(line + b"\r" + row(4, 2).encode())
    home = Home.create(tmp_path / "home", report)
    left_out(spark, home, report, "1.json@1")
    backfill(spark, report, home, TEN, False)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(1, 4)]


def test_a_backfill_before_the_stream(spark, tmp_path: Path) -> None:
    """It reads the file without the row, and so does the stream after it."""
    report = plan(tmp_path)
    write_lines(tmp_path / "t" / "1.json", [row(1, 1), "torn", row(8, 25)])
    home = Home.create(tmp_path / "home", report)
    left_out(spark, home, report, "1.json@2")
    backfill(spark, report, home, Interval(TEN.start, MORNING + 10 * HOUR + 10 * MINUTE), False)
    assert not left_out(spark, home, report, "1.json@2").added
    run(spark, home, report)
    assert verify(spark, report, home).is_proven
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(1, 1)]


def test_taken_back(spark, tmp_path: Path) -> None:
    """A driver that has the row in its lease, and has not read it, changes nothing."""
    report = plan(tmp_path)
    write_lines(tmp_path / "t" / "1.json", [row(1, 1), row(2, 2)])
    home = Home.create(tmp_path / "home", report)
    done = left_out(spark, home, report, "1.json@1", "1.json@2")
    Writer.begin(home.log(), Lease("host", 1, "application", None, asked(home)))
    with pytest.raises(InputError, match=r"--take-back wants the rows"):
        take_back(SkipRequest(str(home.path)))
    with pytest.raises(InputError, match="is no row that is left out"):
        take_back(SkipRequest(str(home.path), ("1.json@1",)))
    left = take_back(SkipRequest(str(home.path), done.rows["t"][:1]))
    assert left.rows == {"t": done.rows["t"][1:]}
    write_lines(tmp_path / "t" / "2.json", [row(8, 25)])
    run(spark, home, report)
    assert verify(spark, report, home).is_proven
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(1, 1)]


def test_all_rows_of_a_line_with_an_array(spark, tmp_path: Path) -> None:
    report = plan(tmp_path)
    write_lines(tmp_path / "t" / "1.json", [f"[{row('x', 1)}, {row(2, 1)}]", row(4, 2)])
    home = Home.create(tmp_path / "home", report)
    left_out(spark, home, report, "1.json@1")
    backfill(spark, report, home, TEN, False)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(1, 4)]


WRONG = {
    "1.json@9": "1.json has no row in line 9",
    "9.json@1": "has no file .*/t/9.json",
    "../report.sql@1": "has no file .*/report.sql",
    ".hidden.json@1": "has no file .*/t/.hidden.json",
    "pipe.json@1": "pipe.json",
    "1.json": "'1.json' is no place of a line: write FILE@LINE",
    "1.json@2": "lines 2 and 3 of .* begin alike: correct the file",
    "1.json@4": "lines 4 and 5 of .* begin alike: correct the file",
    "torn.json.gz@1": "torn.json.gz can't be read: Compressed file ended",
}


def test_a_wrong_place_is_refused(spark, tmp_path: Path) -> None:
    report, place = plan(tmp_path), tmp_path / "t"
    write_lines(place / "1.json", ["{", "x" * 300, "x" * 301, row(1, 1), row(1, 1)])
    write_lines(place / ".hidden.json", ["{"])
    write_lines(tmp_path / "report.sql", ["{"])
    (place / "torn.json.gz").write_bytes(gzip.compress(b"torn" * 99)[:20])
    os.mkfifo(place / "pipe.json")
    home = Home.create(tmp_path / "home", report)
    for wrong, said in WRONG.items():
        with pytest.raises(InputError, match=said):
            left_out(spark, home, report, "1.json@1", wrong)
    assert not asked(home)


def test_a_wrong_source_is_named(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", plan(tmp_path))
    with pytest.raises(InputError, match=r"the report has no source 'tt': --source is one of t$"):
        skip(SkipRequest(str(home.path), ("1.json@1",), "tt"), print)


ASKED = """
import sys
from airflow_nrt.home.home import Home
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.usecases.skip import leave_out
print(leave_out(Home.open(sys.argv[1]), "t", [SkippedRow("/t/1.json", 1, "ab12")]).added)
"""


@pytest.mark.process
@pytest.mark.parametrize(("point", "added"), zip(SKIPPING, "10"))
def test_killed_between_its_steps(tmp_path: Path, point: str, added: str) -> None:
    home = Home.create(tmp_path / "home", plan(tmp_path))
    command = [sys.executable, "-c", ASKED, str(home.path)]
    killed = subprocess.run(command, env={**os.environ, VARIABLE: f"kill:{point}"}, check=False)
    assert killed.returncode == -signal.SIGKILL
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    assert ended.stdout == f"{added}\n" and [row.number for row in asked(home)["t"]] == [1]


def test_several_ask_at_a_time(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", plan(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: ask(home, "t", [SkippedRow("/t/1.json", n, "ab12")]), range(40)))
    assert sorted(row.number for row in asked(home)["t"]) == [*range(40)]
