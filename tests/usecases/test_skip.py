"""A row that can't be read is left out of a living home, by its place."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
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
from airflow_nrt.home.skipped import asked
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.usecases.requests.skip import SkipRequest
from airflow_nrt.usecases.skip import skip
from tests.engine.reports import HOUR, MINUTE, MORNING, rows_of, write_lines

TEN = Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR)


def plan(place: Path, form: str = "json", computed: str = "") -> Plan:
    return plan_script(
        f"""CREATE TABLE t (id INT, ts TIMESTAMP(3){computed}, WATERMARK FOR ts AS ts) WITH (
        'connector' = 'filesystem', 'path' = '{place}/t', 'format' = '{form}', 'source.monitor-interval' = '1s');
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


def rejections(home: Home) -> list[tuple[str, str]]:
    return [(one["reason"], one["line"]) for path in home.ledger.glob(f"*/{REJECTED}") for one in records(path)]


def test_a_report_goes_on_without_a_line(spark, tmp_path: Path) -> None:
    report = plan(tmp_path)
    home = Home.create(tmp_path / "home", report)
    write_lines(tmp_path / "t" / "1.json", [row(1, 1)])
    run(spark, home, report)
    write_lines(tmp_path / "t" / "2.json", [row(2, 2), "", "torn", row(4, 3), row(8, 25)])
    with pytest.raises(DataError, match=r"goes on with that, or without this row \(`airflow-nrt skip`\)"):
        run(spark, home, report)
    done = skip(SkipRequest(str(home.path), (f"{tmp_path}/t/2.json@3",)), print)
    assert done.rows == {"t": (f"{tmp_path}/t/2.json@3",)} and done.added == 1
    again = skip(SkipRequest(str(home.path), ("2.json:3",), "t"), print)
    assert again.rows == done.rows and not again.added
    run(spark, home, report)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(3, 7)]
    assert rejections(home) == [("skipped", "torn")]
    verdict = verify(spark, report, home)
    backfill(spark, report, home, Interval(TEN.start, MORNING + 10 * HOUR + 10 * MINUTE), False)
    assert verdict.is_proven and [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(3, 7)]
    with pytest.raises(InputError, match=r"2.json@1 was read by entry 4: only rows that no entry has read"):
        skip(SkipRequest(str(home.path), ("2.json@1",)), print)


def test_nothing_is_computed_of_it(spark, tmp_path: Path) -> None:
    """A computed column of it has no result, and its fields are fine."""
    report = plan(tmp_path, computed=", share AS 100 / id")
    write_lines(tmp_path / "t" / "1.json", [row(0, 1), row(4, 2)])
    home = Home.create(tmp_path / "home", report)
    skip(SkipRequest(str(home.path), ("1.json@1",)), print)
    backfill(spark, report, home, TEN, False)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(1, 4)]


@pytest.mark.parametrize("ends", ["csv", "csv.gz"])
def test_a_record_of_several_lines(spark, tmp_path: Path, ends: str) -> None:
    report = plan(tmp_path, "csv")
    lines = ["1,2024-06-18 10:01:00", '"x', 'y",2024-06-18 10:02:00', "4,2024-06-18 10:03:00"]
    content = "".join(f"{line}\r\n" for line in lines).encode()
    file = tmp_path / "t" / f"1.{ends}"
    file.parent.mkdir()
    file.write_bytes(gzip.compress(content) if ends == "csv.gz" else content)
    home = Home.create(tmp_path / "home", report)
    with pytest.raises(InputError, match="has no record that begins in line 3"):
        skip(SkipRequest(str(home.path), (f"1.{ends}@3",)), print)
    skip(SkipRequest(str(home.path), (f"1.{ends}@2",)), print)
    backfill(spark, report, home, TEN, False)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(2, 5)]


def test_all_rows_of_a_line_with_an_array(spark, tmp_path: Path) -> None:
    report = plan(tmp_path)
    write_lines(tmp_path / "t" / "1.json", [f"[{row('x', 1)}, {row(2, 1)}]", row(4, 2)])
    home = Home.create(tmp_path / "home", report)
    skip(SkipRequest(str(home.path), ("1.json@1",)), print)
    backfill(spark, report, home, TEN, False)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(1, 4)]


WRONG = {
    "1.json@9": "has no record that begins in line 9",
    "9.json@1": "9.json can't be read: No such file or directory",
    "1.json": "'1.json' is no place of a line: write FILE@LINE",
    "1.json@2": "lines 2 and 3 of .* begin alike: correct the file",
}


@pytest.mark.parametrize(("place", "said"), WRONG.items(), ids=WRONG)
def test_a_wrong_place_is_refused(tmp_path: Path, place: str, said: str) -> None:
    write_lines(tmp_path / "t" / "1.json", ["{", "x" * 300, "x" * 301])
    home = Home.create(tmp_path / "home", plan(tmp_path))
    with pytest.raises(InputError, match=said):
        skip(SkipRequest(str(home.path), ("1.json@1", place)), print)
    assert not asked(home)


def test_a_wrong_source_is_named(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", plan(tmp_path))
    with pytest.raises(InputError, match=r"the report has no source 'tt': --source is one of t$"):
        skip(SkipRequest(str(home.path), ("1.json@1",), "tt"), print)


@pytest.mark.process
@pytest.mark.parametrize("point", SKIPPING)
def test_killed_between_its_steps(tmp_path: Path, point: str) -> None:
    write_lines(tmp_path / "t" / "1.json", ["torn"])
    home = Home.create(tmp_path / "home", plan(tmp_path))
    command = [sys.executable, "-m", "airflow_nrt.cli.main", "skip", "--home", str(home.path), "--at", "1.json@1"]
    killed = subprocess.run(command, env={**os.environ, VARIABLE: f"kill:{point}"}, check=False)
    assert killed.returncode == -signal.SIGKILL
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    assert f"t: {tmp_path}/t/1.json@1\n1 row left out\n" in ended.stdout
    assert [row.number for row in asked(home)["t"]] == [1]
