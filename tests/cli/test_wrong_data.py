"""Data that can't be read or has no time: named, and it stops the command, unless an option says to count it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Answer, Command
from tests.cli.place import REPORT, furnish

STRICT = REPORT.replace("'csv.ignore-parse-errors' = 'true'", "'source.rejected.limit' = '0'")
LINES = "".join(f"{n},a,1.00,2024-06-18 10:{n:02d}:00\n" for n in range(60))


def run(spark_command: Command, report: Path) -> Answer:
    home = report.parent / "home"
    return spark_command("run", report, "--home", home, "--available-now", "--master", "local[2]")


def stops(spark_command: Command, report: Path, status: int = 1) -> str:
    """The message of a run that stops; nothing is published, and nothing counts as read."""
    answer = run(spark_command, report)
    assert answer.status == status, answer
    assert answer.err.count("airflow-nrt: ") == 1 and "Traceback" not in answer.err
    assert list((report.parent / "curve").glob("*.json")) == []
    kinds = [json.loads(entry.read_text())["kind"] for entry in (report.parent / "home" / "log").iterdir()]
    assert kinds == ["lease"]
    return answer.err.partition("airflow-nrt: ")[2]


def counted(spark_command: Command, command: Command, report: Path) -> dict[str, int]:
    """What a run that goes on has rejected."""
    answer = run(spark_command, report)
    assert answer.status == 0, answer.err
    rejected: dict[str, int] = json.loads(command("late", "--home", report.parent / "home", "--json").out)["rejected"]
    return rejected


def parquet(place: Path) -> bytes:
    pq.write_table(pa.table({"id": [1], "shop": ["a"]}), place / "whole.parquet")
    return (place / "whole.parquet").read_bytes()


CORRUPT = {
    "a truncated gzip file": ("bad.csv.gz", lambda place: gzip.compress(LINES.encode() * 200)[:-200], STRICT),
    "a truncated parquet file": (
        "bad.parquet",
        lambda place: parquet(place)[:-20],
        STRICT.replace("'format' = 'csv'", "'format' = 'parquet'"),
    ),
}


@pytest.mark.parametrize("what", CORRUPT)
def test_a_corrupt_file_stops(spark_command: Command, tmp_path: Path, what: str) -> None:
    name, content, script = CORRUPT[what]
    told = stops(spark_command, furnish(tmp_path, script, {name: content(tmp_path)}))
    assert told.startswith(f"the file {tmp_path / 'orders' / name} can't be read: ")
    assert "'source.ignore-corrupt' = 'true'" in told


def test_a_corrupt_file_is_counted(spark_command: Command, command: Command, tmp_path: Path) -> None:
    name, content, script = CORRUPT["a truncated gzip file"]
    tolerant = script.replace("'path' = 'orders',", "'path' = 'orders',\n    'source.ignore-corrupt' = 'true',")
    report = furnish(tmp_path, tolerant, {"good.csv": LINES, name: content(tmp_path)})
    assert sum(counted(spark_command, command, report).values()) == 1
    status = json.loads(command("status", "--home", tmp_path / "home", "--json").out)
    assert (status["rows"], status["windows"]) == (60, 5)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,a,1.00,", "a malformed line in table orders: column ts: '' is no TIMESTAMP(3): it is written as "),
        ("1,a,1.00,noon", "a malformed line in table orders: column ts: 'noon' is no TIMESTAMP(3): it is written as "),
        (
            "1,a,1.00",
            "a malformed line in table orders: it has 3 fields, and the table 4 columns (id, shop, price, ts)",
        ),
        ("1,a,1.00,NULL", "RowTime field should not be null: a row of table orders has none. Correct it, or set"),
    ],
)
def test_a_row_without_a_time_stops(spark_command: Command, tmp_path: Path, line: str, message: str) -> None:
    script = STRICT.replace("'path' = 'orders',", "'path' = 'orders',\n    'csv.null-literal' = 'NULL',")
    told = stops(spark_command, furnish(tmp_path, script, {"0.csv": f"{LINES}{line}\n"}))
    assert told.startswith(message)
    assert f"{tmp_path}/orders/0.csv: {line})" in told


def test_rows_without_a_time_are_counted(spark_command: Command, command: Command, tmp_path: Path) -> None:
    options = "'path' = 'orders',\n    'csv.null-literal' = 'NULL',\n    'scan.null-rowtime' = 'skip',"
    report = furnish(
        tmp_path,
        REPORT.replace("'path' = 'orders',", options),
        {"0.csv": f"{LINES}1,a,1.00,noon\n1,a,1.00\n1,a,1.00,NULL\n"},
    )
    assert counted(spark_command, command, report) == {"NULL rowtime": 3}
