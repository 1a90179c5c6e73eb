"""Examples of SQL in docstrings are what the functions give. They need no Spark session."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

PRODUCT = ROOT / "airflow_nrt"
MODULES = [path for path in sorted(PRODUCT.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_examples_are_true(path: Path) -> None:
    """A long text of SQL may go on in the next line."""
    found = doctest.testmod(importlib.import_module(name_of(path)), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted and not found.failed
