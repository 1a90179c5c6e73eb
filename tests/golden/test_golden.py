"""The cases of real Flink that lie here, as a stream and in batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.spark import tuning
from tests.golden.run import DIVERGENCES, MODES, Case, cases_below, compare, main, run_case
from tests.in_turn import in_turn

CASES = cases_below(Path(__file__).with_name("cases"))
LATE = [case for case in CASES if case.facts["family"] == "late"]
OTHERS = [case for case in CASES if case not in LATE]
OF_EACH_KIND = [
    Case(CASES[0].directory.parents[1] / name)
    for name in """
    disordered/agg_hop_distinct_k0 disordered/session_by_item disordered/over_range_10m_item disordered/topn_raw_tumble
    disordered/dedup_last_cumulate disordered/cascade_tumble5m_tumble1h inorder/gs_rollup_hop
    inorder/join_hop_left_residual inorder/agg_types inorder/changelog_group_by
    """.split()
]

ALONE_IN_WHAT_IT_SHOWS = ("inorder/session_touching_gap",)
LATE_OF_EACH_KIND = ("cumulate", "session")
"""A case takes a minute, because it is cut wherever Flink's judgement of a row may change."""


def late(case: Case) -> Any:
    is_one = case.name.removeprefix("late/") in LATE_OF_EACH_KIND
    return pytest.param(case, id=case.name, marks=() if is_one else pytest.mark.thorough)


@pytest.mark.slow
@pytest.mark.parametrize("case", [late(case) for case in LATE])
def test_late_rows_as_flink_and_proven(spark, case: Case) -> None:
    outcome = run_case(spark, case, "batch")
    assert outcome.passed, outcome.detail


@pytest.mark.parametrize(("case", "mode"), in_turn(OTHERS, MODES, each=2, always=ALONE_IN_WHAT_IT_SHOWS))
def test_equals_flink(spark, case: Case, mode: str) -> None:
    outcome = run_case(spark, case, mode)
    print(f"{case.name} {mode}: {outcome.verdict} {outcome.detail}")
    assert outcome.passed, outcome.detail


@pytest.fixture
def compiling(monkeypatch) -> None:
    """As for batches of many rows."""
    monkeypatch.setattr(tuning, "MANY_ROWS", 1)
    monkeypatch.setattr(tuning, "ROWS_OF_A_TASK", 1)


@pytest.mark.parametrize(("case", "mode"), in_turn(OF_EACH_KIND, MODES))
def test_equals_flink_when_compiled(spark, compiling, case: Case, mode: str) -> None:
    outcome = run_case(spark, case, mode)
    assert outcome.passed, outcome.detail


def test_divergences_name_cases() -> None:
    assert set(DIVERGENCES) <= {case.name for case in CASES}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    facts = {"result_schema": [["k", "STRING"], ["v", "DOUBLE"]], "approx_columns": {"v": {"rel": 0.01, "abs": 0.0}}}
    rows = [{"k": "a", "v": 100.0}, {"k": "a", "v": None}, {"k": "b", "v": 1.0}]
    (tmp_path / "case.json").write_text(json.dumps(facts))
    (tmp_path / "expected.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Case(tmp_path)


def test_comparison_takes_any_order_and_the_tolerance(case: Case) -> None:
    assert not compare(['{"k":"b","v":1.0}', '{"k":"a","v":null}', '{"v":100.9,"k":"a"}'], case)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ['{"k":"a","v":100.0}', '{"k":"a","v":null}'],
        ['{"k":"a","v":100.0}', '{"k":"a","v":null}', '{"k":"b","v":1.0}', '{"k":"b","v":1.0}'],
        ['{"k":"a","v":100.0}', '{"k":"a","v":null}', '{"k":"c","v":1.0}'],
        ['{"k":"a","v":101.5}', '{"k":"a","v":null}', '{"k":"b","v":1.0}'],
        ['{"k":"a","v":100.0}', '{"k":"a","v":0.0}', '{"k":"b","v":1.0}'],
        ['{"k":"a","v":100.0,"x":1}', '{"k":"a","v":null,"x":1}', '{"k":"b","v":1.0,"x":1}'],
        ['{"k":"a"}', '{"k":"a"}', '{"k":"b"}'],
    ],
)
def test_comparison_finds_each_difference(case: Case, lines: list[str]) -> None:
    assert compare(lines, case)


def test_a_pattern_without_cases_is_an_error(tmp_path: Path, capsys) -> None:
    assert main([str(tmp_path), "-k", "nothing"]) == 2
    assert "no case below" in capsys.readouterr().err
