"""What people bring runs, as a stream that is verified and in batch, with the rows of Flink or DuckDB."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from tests.golden.run import MODES
from tests.in_turn import in_turn
from tests.scripts.run import REFUSED, Script, rows_of, scripts

RUN = [script for script in scripts() if script.name not in REFUSED]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    """With words that say what is not there."""
    (script,) = (one for one in scripts() if one.name == name)
    with pytest.raises(InputError) as refused:
        script.plan(tmp_path)
    assert REFUSED[name] in str(refused.value)


@pytest.mark.parametrize(("case", "mode"), in_turn(RUN, MODES, each=2))
def test_what_runs(spark, case: Script, mode: str) -> None:
    assert rows_of(spark, case, mode) == case.right
