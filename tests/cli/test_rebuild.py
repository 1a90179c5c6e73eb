"""`airflow-nrt run --on-change rebuild`, as a person sees it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Command
from tests.cli.place import REPORT, furnish


def test_a_changed_report_takes_the_place_of_the_one_before(spark_command: Command, tmp_path: Path) -> None:
    report, home = furnish(tmp_path), tmp_path / "home"
    first = "run", report, "--home", home, "--available-now", "--master", "local[2]"
    assert spark_command(*first).status == 0
    report.write_text(REPORT.replace("COUNT(*)", "COUNT(*) * 10"))
    refused = spark_command(*first)
    assert refused.status == 2 and "(--on-change rebuild)" in refused.err
    assert not (home / "generations").exists()
    answer = spark_command(*first, "--on-change", "rebuild")
    assert (answer.status, answer.out) == (0, "curve: finished\n"), answer.err
    assert "generation 2 of the report takes its place" in answer.err
    rows = [json.loads(line) for file in (tmp_path / "curve").glob("*.json") for line in file.read_text().splitlines()]
    assert rows and all(row["cnt"] % 10 == 0 for row in rows)
    status = json.loads(spark_command("status", "--home", home, "--json").out)
    assert (status["generation"], status["rebuilding"], status["driver"], status["rows"]) == (2, None, "finished", 7)
    assert spark_command("verify", report, "--home", home, "--master", "local[2]").status == 0
    assert spark_command(*first).status == 0
    (tmp_path / "orders" / "0.csv").unlink()
    report.write_text(REPORT)
    answer = spark_command(*first, "--on-change", "rebuild")
    assert answer.status == 2 and "1 file of orders is gone or changed: the past of orders can't be read" in answer.err
    plan = spark_command("plan", report, "--against", home)
    assert plan.status == 4 and "--on-change rebuild is refused, too: " in plan.out
