"""A run of the unit tier imports only files that may have such a test, and loses none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiers import tier_of
from tests.unit_files import heavy_fixtures, needs_more, without_unit_tests

ROOT = Path(__file__).parent
FIXTURES = """
@pytest.fixture
def streamed(spark, tmp_path: Path) -> Streamed:
    return Streamed(spark)


@pytest.fixture(scope="module", params=[1, 2])
def damaged(
    streamed: Streamed, request: pytest.FixtureRequest
) -> Streamed:
    return streamed
"""
ELSEWHERE = """
@pytest.fixture
def streamed(tmp_path: Path) -> Path:
    return tmp_path
"""


def test_a_run_of_all_tiers_finds_no_unit_test_where_the_text_shows_none(request: pytest.FixtureRequest) -> None:
    left_out = without_unit_tests(ROOT)
    lost = [item.nodeid for item in request.session.items if tier_of(item) == "unit" and item.path in left_out]
    assert lost == []


def test_files_of_spark_alone_are_left_out() -> None:
    left_out = without_unit_tests(ROOT)
    assert ROOT / "page" / "browser" in left_out
    assert ROOT / "page" not in left_out
    assert ROOT / "golden_table" / "test_golden_table.py" not in left_out
    assert ROOT / "engine" / "versions" / "test_timing.py" in left_out
    assert Path(__file__) not in left_out


def test_a_fixture_needs_what_it_asks_for_wherever_it_is_defined() -> None:
    assert {"streamed", "damaged", "spark", "broker"} <= heavy_fixtures([FIXTURES])
    assert not {"streamed", "damaged"} & heavy_fixtures([FIXTURES, ELSEWHERE])


def test_a_fixture_of_the_file_itself_goes_before_others() -> None:
    test = "def test_one(streamed: Streamed) -> None:\n"
    assert needs_more(FIXTURES + test, frozenset({"spark"}))
    assert not needs_more(ELSEWHERE + test, frozenset({"spark", "streamed"}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def test_one(spark) -> None:\ndef test_two(tmp_path: Path, spark: SparkSession) -> None:\n", True),
        ("def test_one(spark) -> None:\ndef test_two(tmp_path: Path) -> None:\n", False),
        ("def test_one(\n    tmp_path: Path, spark: SparkSession\n) -> None:\n", True),
        ("class TestAll:\n    def test_one(self) -> None:\n    def test_two(self, spark) -> None:\n", False),
        ("pytestmark = [pytest.mark.slow, pytest.mark.process]\ndef test_one() -> None:\n", True),
        ("pytestmark = pytest.mark.slow\ndef test_one() -> None:\n", False),
        ('@pytest.mark.parametrize(\n    ("spark", "other"), [])\ndef test_one(spark, other) -> None:\n', False),
        ("from tests.others import *\n", False),
    ],
)
def test_a_file_is_left_out_if_each_of_its_tests_needs_more(text: str, expected: bool) -> None:
    assert needs_more(text, frozenset({"spark"})) is expected
