"""In which order units of tests begin."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.units import put_in_order


def item(test: str, is_slow: bool = False) -> Any:
    return SimpleNamespace(nodeid=test, get_closest_marker=lambda name: is_slow or None)


def test_slow_files_stand_among_the_others_and_single_tests_come_last() -> None:
    items = [
        item("tests/cli/test_a.py::one", is_slow=True),
        item("tests/cli/test_b.py::one"),
        item("tests/dags/test_a.py::one"),
        item("tests/golden/test_golden.py::one"),
        item("tests/sql/test_c.py::one"),
        item("tests/sql/test_c.py::two"),
        item("tests/dags/test_b.py::one", is_slow=True),
    ]
    put_in_order(items)
    assert [one.nodeid.removeprefix("tests/") for one in items] == [
        "dags/test_a.py::one",
        "dags/test_b.py::one",
        "cli/test_b.py::one",
        "cli/test_a.py::one",
        "sql/test_c.py::one",
        "sql/test_c.py::two",
        "golden/test_golden.py::one",
    ]
