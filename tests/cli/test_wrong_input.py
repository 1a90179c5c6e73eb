# ruff: noqa: E501 (a row of a table is one line)
"""Wrong input ends with status 2 and one clear paragraph, before anything is written."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.cli.main import main
from tests.cli.conftest import Command
from tests.cli.place import REPORT, furnish

INTERVAL = ("--start", "2024-06-18 10:00", "--end", "2024-06-18 11:00")


def tree(place: Path) -> dict[str, bytes | None]:
    """Everything below a directory."""
    return {
        str(path.relative_to(place)): path.read_bytes() if path.is_file() else None for path in sorted(place.rglob("*"))
    }


def refused(command: Command, place: Path, *arguments: object) -> str:
    """The message of a command that is refused and leaves everything as it was."""
    before = tree(place)
    answer = command(*arguments)
    assert answer.status == 2, answer
    assert answer.out == ""
    assert answer.err.startswith("airflow-nrt: ") and "Traceback" not in answer.err
    assert tree(place) == before
    return answer.err.removeprefix("airflow-nrt: ")


# ---------------------------------------------------------------------------------------------------- the report

REPORTS = {
    "table": ("TABLE orders,", "TABLE ordes,", "there is no table or view 'ordes'; did you mean 'orders'?"),
    "column": ("SUM(price)", "SUM(prize)", "there is no column 'prize'; did you mean 'price'?"),
    "function": ("SUM(price)", "SUMM(price)", "there is no function SUMM; did you mean 'SUM'?"),
    "no WATERMARK": (
        ",\n    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES",
        "",
        "The window function requires the timecol is a time attribute type, but is TIMESTAMP(3). Add WATERMARK FOR ts",
    ),
    "size no multiple of step": ("'10' MINUTES", "'7' MINUTES", "1 hour is not a multiple of 7 minutes."),
    "MONTH": ("'10' MINUTES", "'1' MONTH", "1 hour is no multiple of 1 month"),
    "watermark column": ("ts TIMESTAMP(3)", "ts STRING", "the rowtime column 'ts' must be TIMESTAMP(3) or"),
    "sink columns": ("cnt BIGINT, ", "", "the query has 5 columns (shop, window_start, window_end, EXPR$3, EXPR$4)"),
    "not there yet": ("'path' = 'orders'", "'path' = 's3://bucket/orders'", "paths of s3:// are not there yet"),
}


@pytest.mark.parametrize("what", REPORTS)
@pytest.mark.parametrize(
    "name_and_options", ["plan", "run --home", "backfill --home"], ids=lambda text: text.split()[0]
)
def test_a_wrong_report(command: Command, tmp_path: Path, what: str, name_and_options: str) -> None:
    old, new, message = REPORTS[what]
    assert old in REPORT
    report = furnish(tmp_path, REPORT.replace(old, new))
    name, *home = name_and_options.split()
    rest = [*home, tmp_path / "home", *(INTERVAL if name == "backfill" else ())] if home else []
    told = refused(command, tmp_path, name, report, *rest)
    assert message in told
    assert re.match(rf"{re.escape(str(report))}, line \d+, column \d+: ", told)


SECOND = """
CREATE TABLE taken (shop STRING) WITH ('connector' = 'filesystem', 'path' = 'taken', 'format' = 'json');
INSERT INTO taken SELECT shop FROM orders;
"""


@pytest.mark.process
def test_a_start_that_is_refused_leaves_no_home_and_no_claim(spark_command: Command, tmp_path: Path) -> None:
    report = furnish(tmp_path, REPORT + SECOND)
    for name in ("curve", "taken"):
        (tmp_path / name).mkdir()
    (tmp_path / "taken" / ".nrt-owner").write_text("ab12")
    before = tree(tmp_path)
    answer = spark_command("run", report, "--home", tmp_path / "home", "--master", "local[1]")
    assert answer.status == 2 and tree(tmp_path) == before
    assert "airflow-nrt: table 'taken': another home publishes to" in answer.err and "airflow-nrt forget" in answer.err


@pytest.mark.process
def test_a_database_that_is_not_there_is_the_cause_in_the_status(command: Command, tmp_path: Path) -> None:
    old = "'connector' = 'filesystem', 'path' = 'curve', 'format' = 'json'"
    assert old in REPORT
    text = REPORT.replace("gmv DECIMAL(38, 2)", "gmv DECIMAL(38, 2), PRIMARY KEY (shop, window_end) NOT ENFORCED")
    database = "'connector' = 'jdbc', 'url' = 'jdbc:postgresql://127.0.0.1:1/db', 'table-name' = 'curve'"
    report = furnish(tmp_path, text.replace(old, database))
    home = tmp_path / "home"
    # The database's driver is a package of the session, so Java starts anew.
    line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", report, "--home", home, "--master", "local[1]"]
    started = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)
    cause = "table 'curve': no database answers at jdbc:postgresql://127.0.0.1:1/db: start it, or correct 'url'"
    assert started.returncode == 1 and cause in started.stderr
    assert f"error       the last start failed: {cause}" in command("status", "--home", home).out


@pytest.mark.process
@pytest.mark.parametrize("master", ["local[x]", "local[0]", "nowhere"])
def test_no_master(command: Command, tmp_path: Path, master: str) -> None:
    told = refused(command, tmp_path, "run", furnish(tmp_path), "--home", tmp_path / "home", "--master", master)
    assert told.startswith(f"there is no Spark master '{master}': give local[*], local[N], spark://HOST:PORT")


@pytest.mark.process
def test_a_master_that_is_not_there(command: Command, tmp_path: Path) -> None:
    told = refused(
        command, tmp_path, "run", furnish(tmp_path), "--home", tmp_path / "home", "--master", "spark://127.0.0.1:1"
    )
    assert told == (
        "no Spark master answers at spark://127.0.0.1:1 (127.0.0.1:1: Connection refused): start it, or correct --master\n"
    )


@pytest.mark.parametrize(("out", "message"), [("no/x", "there is no directory"), (".", "is a directory, a file")])
def test_a_result_that_can_not_be_written(command: Command, tmp_path: Path, out: str, message: str) -> None:
    (tmp_path / "tables.sql").write_text(REPORT.partition("INSERT")[0])
    (tmp_path / "query.sql").write_text("SELECT id FROM orders")
    given = ("--ddl", tmp_path / "tables.sql", "--query", tmp_path / "query.sql", "--out", tmp_path / out)
    assert message in refused(command, tmp_path, "query", *given)


def test_no_report(command: Command, tmp_path: Path) -> None:
    told = refused(command, tmp_path, "run", tmp_path / "none.sql", "--home", tmp_path / "home")
    assert told == f"can't read the report {tmp_path / 'none.sql'}: No such file or directory\n"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("nonsense", "--set wants K=V: there is no '=' in its argument number 1"),
        ("pipeline.nme=x", "there is no setting 'pipeline.nme'; did you mean 'pipeline.name'?"),
        ("table.local-time-zone=Shanghai", "setting 'table.local-time-zone': there is no time zone 'Shanghai'"),
        ("parallelism.default=many", "setting 'parallelism.default': 'many' is not a whole number above 0"),
    ],
)
def test_a_wrong_setting(command: Command, tmp_path: Path, setting: str, message: str) -> None:
    told = refused(command, tmp_path, "run", furnish(tmp_path), "--home", tmp_path / "home", "--set", setting)
    assert told.startswith(message)


@pytest.mark.parametrize(("end", "what"), [("2020-04-14", "reversed"), ("2020-04-15", "empty")])
def test_a_plan_of_no_interval(command: Command, tmp_path: Path, end: str, what: str) -> None:
    told = refused(command, tmp_path, "plan", furnish(tmp_path), "--start", "2020-04-15", "--end", end)
    assert told == f"the interval from 2020-04-15 00:00:00 to {end} 00:00:00 is {what}\n"


# ---------------------------------------------------------------------------------------------------- the home


@pytest.fixture
def place(streamed: Path, tmp_path: Path) -> Path:
    """The streamed report and its home, to be damaged."""
    shutil.copytree(streamed, tmp_path / "place")
    return tmp_path / "place"


@pytest.mark.parametrize("name", ["run", "backfill", "verify"])
def test_the_home_of_another_report(command: Command, streamed: Path, name: str) -> None:
    rest = ("--set", "pipeline.name=other", *(INTERVAL if name == "backfill" else ()))
    told = refused(command, streamed, name, streamed / "curve.sql", "--home", streamed / "home", *rest)
    assert told == (
        f"{streamed / 'home'} is the home of the report 'curve', not of 'other': give each report its own home\n"
    )


@pytest.mark.parametrize("name", ["run", "backfill", "verify"])
def test_changed_data_semantics(command: Command, streamed: Path, tmp_path: Path, name: str) -> None:
    changed = tmp_path / "curve.sql"
    script = REPORT.replace("'orders'", f"'{streamed}/orders'").replace("'curve', 'f", f"'{streamed}/curve', 'f")
    changed.write_text(script.replace("'5' MINUTES", "'6' MINUTES"))
    rest = INTERVAL if name == "backfill" else ()
    told = refused(command, streamed, name, changed, "--home", streamed / "home", *rest)
    assert told == (
        f"the report 'curve' computes something else than when its home {streamed / 'home'} was made:\n"
        "  - curve: recomputed\n"
        "    orders, watermark for ts: ts - INTERVAL '5' MINUTES -> ts - INTERVAL '6' MINUTES\n"
        "Ways out: let a driver compute the changed report beside the one that counts, until it takes its place "
        "(--on-change rebuild), start it in a new home, with other tables for its results, or undo the change.\n"
    )


@pytest.mark.parametrize("name", ["status", "windows", "late", "stop", "run", "backfill", "verify"])
def test_an_unreadable_home(command: Command, place: Path, name: str) -> None:
    (place / "home" / "report.json").write_text("garbage")
    report = (place / "curve.sql",) if name in ("run", "backfill", "verify") else ()
    rest = INTERVAL if name == "backfill" else ()
    told = refused(command, place, name, *report, "--home", place / "home", *rest)
    assert told.startswith(f"the home {place / 'home'} can't be read: report.json: ")


@pytest.mark.parametrize("name", ["status", "windows", "late", "stop", "verify"])
def test_no_home(command: Command, tmp_path: Path, name: str) -> None:
    report = (furnish(tmp_path),) if name == "verify" else ()
    told = refused(command, tmp_path, name, *report, "--home", tmp_path / "home")
    assert told == f"{tmp_path / 'home'} is no home of a report: it has no report.json\n"


def test_a_log_with_a_hole(command: Command, place: Path) -> None:
    (place / "home" / "log" / "3.json").write_text("{")
    for name in ("windows", "late"):
        assert "log/3.json is not readable" in refused(command, place, name, "--home", place / "home")


def test_a_home_on_another_file_system(command: Command, tmp_path: Path) -> None:
    told = refused(command, tmp_path, "run", furnish(tmp_path), "--home", "s3://bucket/home")
    assert told == "a home can't be on s3:// yet: put it on a POSIX file system (s3://bucket/home)\n"


# ---------------------------------------------------------------------------------------------------- the interval


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        ("2024-06-18 10:00", "2024-06-18 10:00", "the interval from 2024-06-18 10:00:00 to 2024-06-18 10:00:00 is empty"),
        ("2024-06-18 11:00", "2024-06-18 10:00", "the interval from 2024-06-18 11:00:00 to 2024-06-18 10:00:00 is reversed"),
        ("2024-06-18 10:01", "2024-06-18 10:09", "no window of CUMULATE 10 minutes / 1 hour ends after 2024-06-18 10:01:00"),
        ("2024-06-18 10:00", "2124-06-18 10:00", "the interval reaches to 2124-06-18 10:00:00, which is in the future"),
        ("yesterday", "2024-06-18 10:00", "'yesterday' is not a time: write for example '2024-06-18 10:00'"),
    ],
)  # fmt: skip
def test_an_interval_without_complete_windows(
    command: Command, tmp_path: Path, start: str, end: str, message: str
) -> None:
    report = furnish(tmp_path)
    told = refused(command, tmp_path, "backfill", report, "--home", tmp_path / "home", "--start", start, "--end", end)
    assert told.startswith(message)


@pytest.mark.parametrize(
    ("interval", "message"),
    [
        (("--start", "2024-06-18 11:00", "--end", "2024-06-18 10:00"), "the interval from 2024-06-18 11:00:00 to 2024-06-18 10:00:00 is reversed"),
        (("--start", "2024-06-18 11:00", "--end", "2024-06-18 11:00"), "the interval from 2024-06-18 11:00:00 to 2024-06-18 11:00:00 is empty"),
        (("--start", "2024-06-18 10:01", "--end", "2024-06-18 10:09"), "no window of CUMULATE 10 minutes / 1 hour ends after 2024-06-18 10:01:00"),
        (("--start", "2024-06-19"), "no window of CUMULATE 10 minutes / 1 hour in the interval is complete: they are up to 2024-06-18 11:10:00"),
    ],
)  # fmt: skip
def test_an_interval_with_nothing_to_verify(
    command: Command, streamed: Path, interval: tuple[str, ...], message: str
) -> None:
    rest = ("--home", streamed / "home", *interval)
    assert refused(command, streamed, "verify", streamed / "curve.sql", *rest).startswith(message)


def test_an_interval_that_reaches_into_open_windows(command: Command, streamed: Path) -> None:
    rest = ("--home", streamed / "home", "--start", "2024-06-18 11:00", "--end", "2024-06-18 11:30")
    assert refused(command, streamed, "backfill", streamed / "curve.sql", *rest) == (
        "the windows of CUMULATE 10 minutes / 1 hour are complete only up to 2024-06-18 11:10:00, the interval reaches "
        "to 2024-06-18 11:30:00: end it there, or wait for the stream\n"
    )


PARTITIONED = REPORT.replace("ts TIMESTAMP(3),\n", "ts TIMESTAMP(3),\n    ds STRING,\n    hh STRING,\n").replace(
    ") WITH (\n    'connector' = 'filesystem',",
    ") PARTITIONED BY (ds, hh) WITH (\n    'partition.time-extractor.timestamp-pattern' = '$ds $hh:00:00',\n"
    "    'connector' = 'filesystem',",
)
ONE_HOUR = {"ds=2024-06-18/hh=10/0.csv": "1,a,1.00,2024-06-18 10:01:00\n"}
TWO_HOURS = ("--start", "2024-06-18 10:00", "--end", "2024-06-18 12:00")


def test_a_missing_partition(command: Command, tmp_path: Path) -> None:
    report = furnish(tmp_path, PARTITIONED, ONE_HOUR)
    assert refused(command, tmp_path, "backfill", report, "--home", tmp_path / "home", *TWO_HOURS) == (
        "table 'orders' has no partition for 2024-06-18 11:00:00. If there were no rows then, set "
        "'partition.missing' = 'ignore': the windows are computed from the partitions that exist\n"
    )


def test_a_missing_partition_that_may_be_missing(spark_command: Command, tmp_path: Path) -> None:
    tolerant = PARTITIONED.replace("(ds, hh) WITH (", "(ds, hh) WITH (\n    'partition.missing' = 'ignore',")
    report = furnish(tmp_path, tolerant, ONE_HOUR)
    answer = spark_command("backfill", report, "--home", tmp_path / "home", *TWO_HOURS, "--master", "local[2]")
    assert answer.status == 0, answer.err
    assert answer.out == (
        "note: table 'orders' has no partition for 2024-06-18 11:00:00: computed without\ncurve: 6 windows published\n"
    )


def test_a_home_that_lies_beside(command: Command, place: Path) -> None:
    told = refused(command, place, "status", "--home", place / "hmoe")
    assert told == f"{place / 'hmoe'} is no home of a report: it has no report.json; did you mean 'home'?\n"


def test_a_report_that_lies_beside(command: Command, place: Path) -> None:
    assert refused(command, place, "check", place / "cruve.sql").endswith("; did you mean 'curve.sql'?\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verfy"], "there is no command 'verfy'; did you mean 'verify'? (`airflow-nrt --help` lists them)"),
        (["run", "x.sql", "--availablenow"], "there is no argument '--availablenow'; did you mean '--available-now'?"),
        (["status", "twice"], "there is no argument 'twice'"),
    ],
)
def test_arguments(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.startswith("usage: airflow-nrt") and said.endswith(f"error: {message}\n")
