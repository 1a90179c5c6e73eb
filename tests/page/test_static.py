"""Files of the page: nothing from elsewhere, no markup made of values, and another's code as it was published."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

STATIC = Path(__file__).resolve().parents[2] / "airflow_nrt" / "page" / "static"
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
UPLOT = {
    "LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}
"""SHA-256 of the files of uPlot 1.6.32, as npm has them below dist/."""
MARKUP_OR_CODE = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function")
ELSEWHERE = re.compile(r"""(?:src|href|url\(|import\(|from)\s*=?\s*["'(]*(?:[a-z]+:)?//""")
IMPORTED = re.compile(r'^(?:import|export) .*?from "([^"]+)";', re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", UPLOT)
def test_uplot_is_as_it_was_published(name: str) -> None:
    assert hashlib.sha256((STATIC / "uplot" / name).read_bytes()).hexdigest() == UPLOT[name]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_makes_no_markup_of_values_and_imports_what_is_there(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert not MARKUP_OR_CODE.search(text) and not ELSEWHERE.search(text)
    for name in IMPORTED.findall(text):
        assert name.startswith(".") and (script.parent / name).is_file(), name


def test_the_document_has_no_code_of_its_own_and_names_its_files_from_where_it_is() -> None:
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", text)
    named = re.findall(r'(?:src|href)="([^"#]+)"', text)
    scripts = {f"static/{script.relative_to(STATIC).as_posix()}" for script in SCRIPTS}
    assert scripts <= set(named), "a script that is not preloaded is asked for one answer later"
    assert [name for name in named if not (STATIC.parent / name).is_file()] == []


def test_the_patterns_find_what_they_are_for() -> None:
    assert MARKUP_OR_CODE.search("node.innerHTML = value") and MARKUP_OR_CODE.search("eval(text)")
    assert ELSEWHERE.search('<script src="https://cdn.example.org/x.js">') and ELSEWHERE.search("url(//example.org/x)")
