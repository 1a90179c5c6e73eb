"""The examples of `docs/sql.md` that show their result, over the rows of the golden statements."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.engine.query import run_bounded
from tests.golden.run import MODES
from tests.golden.statements import Statement

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```sql\n([^`]*)```\n\n```json\n([^`]*)```", TEXT)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query, shown", EXAMPLES)
def test_an_example_shows_its_result(spark, query: str, shown: str, mode: str) -> None:
    lines = run_bounded(spark, Statement("", "", query, {}).plan(), mode)
    assert sorted(lines) == shown.splitlines()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3
