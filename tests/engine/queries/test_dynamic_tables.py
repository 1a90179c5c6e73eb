"""The example of `docs/explanation/dynamic-tables.md`: a reader sees what its table says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.result_timing import TIMING_OPTIONS
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import Stream, write_lines

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "explanation" / "dynamic-tables.md").read_text(encoding="utf-8")


def test_every_option_is_told() -> None:
    assert re.findall(r"^\| `'([a-z-]+)'` ", TEXT, re.MULTILINE) == list(TIMING_OPTIONS)


def test_the_example(spark, tmp_path: Path) -> None:
    (script,) = re.findall(r"```sql\n(CREATE TABLE sensors.*?)```", TEXT, re.DOTALL)
    rows = re.findall(r"^\| `(room.*?)` \|.*?\| *(.*?) *\|$", TEXT, re.MULTILINE)
    plan = plan_script(script, {}, "example", tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    for n, (row, seen) in enumerate(rows):
        stream.absorb(write_lines(tmp_path / "sensors" / f"{n}.csv", [row]), source="sensors")
        lines = [json.loads(line) for file in (tmp_path / "temperatures").glob("*T100000-*") for line in file.open()]
        assert [f"{line['temp']} {line['state']}" for line in lines] == ([seen] if seen else []), row
    assert verify(spark, plan, stream.home).is_proven
