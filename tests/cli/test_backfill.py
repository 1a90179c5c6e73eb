"""A backfill from the command line: published, found different, reported, refused, repaired."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.place import REPORT, furnish

HOUR = ("--start", "2024-06-18 10:00", "--end", "2024-06-18 11:00", "--master", "local[2]")
PRINTED = """\
CREATE TABLE seen (shop STRING, cnt BIGINT) WITH ('connector' = 'print');

INSERT INTO seen
SELECT shop, COUNT(*)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;
"""


def test_backfill_verify_and_what_becomes_of_a_mismatch(spark_command: Command, tmp_path: Path) -> None:
    report = furnish(tmp_path, REPORT + PRINTED)

    def backfill(*options: str):
        return spark_command("backfill", report, "--home", tmp_path / "home", *HOUR, *options)

    # Rows that are printed stay out of the JSON.
    made = backfill("--json")
    assert made.status == 0, made.err
    nothing = {"notes": [], "unread_files": 0, "unread_bytes": 0, "verdict": None}
    assert json.loads(made.out) == {"published_windows": 6, **nothing}
    assert "+I[a, 3]\n" in made.err

    (file,) = tmp_path.glob("curve/*T102000.json")
    right = file.read_text()
    file.write_text(right.replace('"cnt":1', '"cnt":9', 1))
    reported = backfill("--verify", "--on-mismatch", "report")
    assert reported.status == 0, reported.err
    assert "curve: 0 windows published\n" in reported.out
    assert "curve: 6 windows, 5 equal, 0 explained by late rows, 1 unexplained, 0 pending\n" in reported.out
    assert reported.out.endswith("NOT PROVEN\n")

    failed = backfill("--verify", "--json")
    told = json.loads(failed.out)
    assert (failed.status, told["published_windows"], told["verdict"]["unexplained"]) == (1, 0, 1)
    assert file.read_text() != right

    verified = spark_command("verify", report, "--home", tmp_path / "home", *HOUR)
    assert verified.status == 1 and "not published" not in verified.out
    command = shlex.split(verified.err.partition("to repair: airflow-nrt ")[2])
    repaired = spark_command(*command, "--json")
    told = json.loads(repaired.out)
    assert repaired.status == 0, repaired.err
    assert (told["published_windows"], told["verdict"]["proven"], told["verdict"]["equal"]) == (1, True, 1)
    assert file.read_text() == right

    another_day = ("--start", "2024-06-16", "--end", "2024-06-17")
    nothing_proven = spark_command("verify", report, "--home", tmp_path / "home", *another_day)
    assert nothing_proven.status == 1
    assert "no complete window in the interval up to 2024-06-17 00:00:00 has rows\n" in nothing_proven.out


@pytest.mark.thorough
def test_files_that_the_stream_has_not_read_are_the_last_line(spark_command: Command, tmp_path: Path) -> None:
    """Also where the result is JSON, on standard error: that is the log of a task of Airflow."""
    report, home = furnish(tmp_path), tmp_path / "home"
    assert spark_command("run", report, "--home", home, "--available-now", "--master", "local[2]").status == 0
    later = "9,a,1.00,2024-06-18 10:05:00\n"
    (tmp_path / "orders" / "later.csv").write_text(later)
    line = f"1 file has arrived that the stream has not read ({len(later)} bytes): their rows are in no window yet\n"
    for options in ((), ("--verify",)):
        told = spark_command("backfill", report, "--home", home, *HOUR, *options)
        assert told.status == 0, told.err
        assert told.out.endswith(f"\n{line}")
        told = spark_command("backfill", report, "--home", home, *HOUR, *options, "--json")
        assert told.err.endswith(f" s] {line}")
        result = json.loads(told.out)
        assert (result["unread_files"], result["unread_bytes"]) == (1, len(later))
    told = spark_command("verify", report, "--home", home, *HOUR, "--json")
    assert told.err.endswith(f" s] {line}") and json.loads(told.out)["unread_files"] == 1
