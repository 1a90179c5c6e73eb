"""Which test files have no unit test, by their text: a run of that tier does not import them.

A test needs more than its process if it asks for a fixture that does, by itself or through others; a file if its
`pytestmark` names a tier. What the text does not show counts as a unit test. A run of all tiers compares with what
collection finds (`test_unit_files.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.tiers import FIXTURES

_TEST = re.compile(r"^ *(?:async )?def test_\w*\((.*?)\)[^()\n]*:$", re.DOTALL | re.MULTILINE)
_FIXTURE = re.compile(r"^@pytest\.fixture.*?^def (\w+)\((.*?)\)[^\n]*:$", re.DOTALL | re.MULTILINE)
_PARAMETERS = re.compile(r"parametrize\(\s*\(?((?:\s*[\"'][\w, ]+[\"'],?)+)")
_MARK = re.compile(rf"^pytestmark = .*\bpytest\.mark\.(?:{'|'.join(set(FIXTURES.values()))})\b", re.MULTILINE)


@cache
def without_unit_tests(folder: Path) -> frozenset[Path]:
    """The test files below a folder none of whose tests is of the tier `unit`."""
    texts = {file: file.read_text(encoding="utf-8") for file in folder.rglob("*.py")}
    heavy = heavy_fixtures(texts)
    return frozenset(file for file, text in texts.items() if file.match("test_*.py") and needs_more(text, heavy))


def heavy_fixtures(texts: Mapping[Path, str]) -> frozenset[str]:
    """The names of fixtures that need Spark, a process or more, wherever they are defined."""
    definitions: dict[str, list[set[str]]] = defaultdict(list)
    for text in texts.values():
        for name, parameters in _FIXTURE.findall(text):
            definitions[name].append(_names(parameters))
    heavy, before = set(FIXTURES), 0
    while len(heavy) > before:
        before = len(heavy)
        heavy |= {name for name, asked in definitions.items() if all(heavy & names for names in asked)}
    return frozenset(heavy)


def needs_more(text: str, heavy: frozenset[str]) -> bool:
    """Whether each test of a file needs more than its process."""
    given = {name for names in _PARAMETERS.findall(text) for name in re.findall(r"\w+", names)}
    tests = _TEST.findall(text)
    return bool(_MARK.search(text)) or (bool(tests) and all((heavy - given) & _names(names) for names in tests))


def _names(parameters: str) -> set[str]:
    return {one.partition(":")[0].strip() for one in parameters.split(",")}
