"""The example of `docs/reference/functions.md` that shows its result, over the rows of the golden statements."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.filling.placeholders import fill_placeholders
from airflow_nrt.sql.planner import plan_query
from tests.golden.run import MODES
from tests.golden.statements import ERRORS
from tests.python_modules import write_module

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "functions.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```python\n([^`]*)```\n\n```sql\n([^`]*)```\n\n```json\n([^`]*)```", TEXT)
assert EXAMPLE is not None


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    place = tmp_path_factory.mktemp("report")
    module, query = write_module(place, EXAMPLE[1]), EXAMPLE[2]
    declared, query = query[: query.index("SELECT")], query[query.index("SELECT") :]
    tables = fill_placeholders((ERRORS / "ddl.sql").read_text(), {"CASE_DIR": str(ERRORS)})
    return plan_query(tables + declared.replace("bids.", f"{module}."), query, place)


@pytest.mark.parametrize("mode", MODES)
def test_the_example_shows_its_result(spark, plan: Plan, mode: str) -> None:
    assert sorted(run_bounded(spark, plan, mode)) == EXAMPLE[3].splitlines()
