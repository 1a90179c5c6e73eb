"""Where tests are: in the folder that mirrors the source, or their docstring says which folder they cover."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PRODUCT = HERE.parent / "airflow_nrt"


# By their text: every process that runs tests looks at all files, and to parse them would take it a second.
FUNCTION = re.compile(r"^ *def ", re.MULTILINE)
DOCSTRING = re.compile(r'\A(?:#[^\n]*\n)*"""(.+?)"""', re.DOTALL)


def has_logic(module: Path) -> bool:
    return FUNCTION.search(module.read_text(encoding="utf-8")) is not None


def docstring(module: Path) -> str:
    found = DOCSTRING.match(module.read_text(encoding="utf-8"))
    return found[1] if found else ""


FOLDERS = sorted({module.parent.relative_to(PRODUCT) for module in PRODUCT.rglob("*.py") if has_logic(module)})
DOCSTRINGS = {test: docstring(test) for test in HERE.rglob("test_*.py")}


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_with_logic_has_tests(folder: Path) -> None:
    mirrored = any((HERE / folder).rglob("test_*.py"))
    covered = any(f"Covers {PRODUCT.name}/{folder}" in text for text in DOCSTRINGS.values())
    assert mirrored or covered, f"no tests/{folder}, and no docstring with 'Covers airflow_nrt/{folder}'"


def test_each_test_module_says_what_it_is_about() -> None:
    assert [str(test.relative_to(HERE)) for test, text in DOCSTRINGS.items() if not text] == []
