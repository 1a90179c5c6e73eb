"""The cases of the field that lie here, as a stream and in batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.field.run import Case, cases_below, run_case
from tests.golden.run import MODES
from tests.in_turn import in_turn

CASES = cases_below(Path(__file__).with_name("cases"))


@pytest.mark.parametrize(("case", "mode"), in_turn(CASES, MODES, each=2))
def test_what_is_right(spark, case: Case, mode: str) -> None:
    outcome = run_case(spark, case, mode)
    assert outcome.passed, outcome.detail
