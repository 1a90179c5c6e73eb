"""The examples of `docs/table-api.md` that show their result, over the rows of the golden statements."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt import table as api
from airflow_nrt.table.vocabulary import AGGREGATES, METHODS, PROPERTIES
from tests.golden.statements import ERRORS

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "table-api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n([^`]*)```\n\n```json\n([^`]*)```", TEXT)


def result(program: str, mode: str) -> api.Table:
    """The table that the last line of the program names."""
    environment = api.TableEnvironment(api.EnvironmentSettings(mode), base=ERRORS)
    environment.execute_sql((ERRORS / "ddl.sql").read_text().replace("${CASE_DIR}", str(ERRORS)))
    names: dict[str, Any] = {name: getattr(api, name) for name in api.__all__}
    names["__name__"] = "example"
    names["bids"] = environment.from_path("Bid")
    exec(program, names)
    found: api.Table = names[re.findall(r"^(\w+) = ", program, re.MULTILINE)[-1]]
    return found


@pytest.mark.parametrize("mode", ["stream", "batch"])
@pytest.mark.parametrize("program, shown", EXAMPLES)
def test_an_example_shows_its_result(spark, program: str, shown: str, mode: str) -> None:
    lines = [json.dumps(row, separators=(",", ":")) for row in result(program, mode).execute().rows()]
    assert sorted(lines) == shown.splitlines()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


def test_a_result_is_a_table_of_text_and_a_frame(spark, capsys) -> None:
    table = result(EXAMPLES[0][0], "batch")
    table.execute().print()
    printed = capsys.readouterr().out
    assert "| op |" in printed and "| +I |" in printed and "3 rows in set" in printed
    frame = table.to_pandas()
    assert list(frame.columns) == ["start", "end", "total"]
    assert (frame["end"] - frame["start"]).max().total_seconds() == 600


def test_names_mean_one_thing() -> None:
    assert not (set(PROPERTIES) & set(METHODS) or set(PROPERTIES) & set(AGGREGATES) or set(METHODS) & set(AGGREGATES))
    assert not {name for name in (*PROPERTIES, *METHODS, *AGGREGATES) if name in vars(api.Expression)}
