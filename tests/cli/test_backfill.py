"""A backfill from the command line: published, found different, reported, refused, repaired."""

from __future__ import annotations

import json
from pathlib import Path

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
    assert json.loads(made.out) == {"published_windows": 6, "notes": [], "verdict": None}
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

    repaired = backfill("--verify", "--json", "--on-mismatch", "repair")
    told = json.loads(repaired.out)
    assert repaired.status == 0, repaired.err
    assert (told["published_windows"], told["verdict"]["proven"], told["verdict"]["equal"]) == (1, True, 6)
    assert file.read_text() == right
