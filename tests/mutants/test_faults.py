"""The list of planted faults is whole, and each can still be planted."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from tests.mutants.fault import AREAS, ROOT, Fault, all_faults

FAULTS = all_faults()


def test_the_list_is_whole() -> None:
    """Sixty, of which few tests had found thirty, and those of later changes."""
    areas = Counter(one.area for one in FAULTS)
    assert areas.keys() == set(AREAS) and min(areas.values()) >= 6
    assert len({one.name for one in FAULTS}) == len(FAULTS) >= 60
    assert sum(one.few for one in FAULTS) >= 30
    assert max(Counter(one.file for one in FAULTS).values()) <= 3


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault: Fault) -> None:
    changed = fault.in_text((ROOT / fault.file).read_text(encoding="utf-8"))
    if fault.file.endswith(".py"):
        ast.parse(changed)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_its_tests_are_there(fault: Fault) -> None:
    assert fault.tests
    for test in fault.tests:
        path, _, function = test.partition("::")
        assert (ROOT / path).exists()
        if function:
            tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            assert function.partition("[")[0] in {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}


def test_a_text_that_has_moved_is_an_error_with_the_name_of_its_fault() -> None:
    fault = FAULTS[0]
    with pytest.raises(ValueError, match=f"{fault.name}: .* 0 times"):
        fault.in_text("")
    with pytest.raises(ValueError, match=f"{fault.name}: .* 2 times"):
        fault.in_text(fault.before * 2)
