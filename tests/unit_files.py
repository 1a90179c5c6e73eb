"""Which test files and folders have no unit test, by their text: a run of that tier does not import them.

A test needs more than its process if it asks for a fixture that does, by itself or through others; a file if its
`pytestmark` names a tier. What the text does not show counts as a unit test. A run of all tiers compares with what
collection finds (`test_unit_files.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.tiers import FIXTURES

_TEST = re.compile(r"^ *(?:async )?def test_\w*\((.*?)\)[^()\n]*:$", re.DOTALL | re.MULTILINE)
_FIXTURE = re.compile(r"^@pytest\.fixture.*?^def (\w+)\((.*?)\)[^\n]*:$", re.DOTALL | re.MULTILINE)
_PARAMETERS = re.compile(r"parametrize\(\s*\(?((?:\s*[\"'][\w, ]+[\"'],?)+)")
_MARK = re.compile(rf"^pytestmark = .*\bpytest\.mark\.(?:{'|'.join(set(FIXTURES.values()))})\b", re.MULTILINE)


@cache
def without_unit_tests(folder: Path) -> frozenset[Path]:
    """The test files below a folder none of whose tests is of the tier `unit`, and folders of such files alone."""
    texts = {file: file.read_text(encoding="utf-8") for file in folder.rglob("*.py")}
    heavy = heavy_fixtures(texts.values())
    tests = {file for file in texts if file.match("test_*.py")}
    left_out = {file for file in tests if needs_more(texts[file], heavy)}
    return frozenset(left_out | _folders(left_out) - _folders(tests - left_out))


def heavy_fixtures(texts: Iterable[str]) -> frozenset[str]:
    """The names of fixtures that need Spark, a process or more."""
    return _spread(frozenset(FIXTURES), [one for text in texts for one in _FIXTURE.findall(text)])


def needs_more(text: str, heavy: frozenset[str]) -> bool:
    """Whether each test of a file needs more than its process."""
    given = {name for names in _PARAMETERS.findall(text) for name in re.findall(r"\w+", names)}
    fixtures, tests = _FIXTURE.findall(text), _TEST.findall(text)
    heavy = _spread(heavy - given - {name for name, _ in fixtures}, fixtures)
    return bool(_MARK.search(text)) or (bool(tests) and all(heavy & _names(parameters) for parameters in tests))


def _spread(heavy: frozenset[str], fixtures: Iterable[tuple[str, str]]) -> frozenset[str]:
    """These names, and those of the fixtures that ask for one of them, directly or through others, wherever they are
    defined."""
    definitions: dict[str, list[set[str]]] = defaultdict(list)
    for name, parameters in fixtures:
        definitions[name].append(_names(parameters))
    while more := {name for name, asked in definitions.items() if all(heavy & names for names in asked)} - heavy:
        heavy |= more
    return heavy


def _names(parameters: str) -> set[str]:
    return {one.partition(":")[0].strip() for one in parameters.split(",")}


def _folders(files: Iterable[Path]) -> set[Path]:
    return {folder for file in files for folder in file.parents}
