"""`docs/reference/sql.md` and `docs/architecture.md` say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.sql.expressions.aggregates import AGGREGATES
from airflow_nrt.sql.parse.statements import REFUSED
from airflow_nrt.sql.parse.types import _LATER as TYPES_LATER

ROOT = Path(__file__).resolve().parents[2]
SQL = (ROOT / "docs" / "reference" / "sql.md").read_text()
LATER = SQL.partition("## Not there yet")[2].partition("\n## ")[0]
NOT_THERE = re.compile(r"NotThereYet\(\s*f?\"([^\"]+)\"")


def test_every_name_that_is_not_there_yet_is_listed() -> None:
    listed = set(re.findall(r"[A-Z]\w+|\bE\b", LATER))
    assert {*TYPES_LATER} <= listed
    assert set(REFUSED) <= set(re.findall(r"[A-Z]\w+", SQL))
    assert set(AGGREGATES) <= set(re.findall(r"\w+", SQL.partition("## Not there yet")[0]))


def test_every_construct_that_is_refused_is_listed() -> None:
    """The longest fixed part of each message. What functions refuse is in the table of functions."""
    functions = ROOT / "airflow_nrt" / "sql" / "expressions" / "functions"
    files = [file for file in (ROOT / "airflow_nrt" / "sql").rglob("*.py") if file.parent != functions]
    refused = [text for file in files for text in NOT_THERE.findall(file.read_text())]
    assert len(refused) > 25
    fixed = [max(re.split(r"\{[^}]*\}", text), key=len).strip(" :(") for text in refused]
    assert [text for text in fixed if text not in LATER] == []


DECISIONS = sorted(f"decisions/{file.stem}" for file in (ROOT / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("document", ["architecture", *DECISIONS])
def test_files_that_are_named_exist(document: str) -> None:
    """A name may leave out the folders above it, as `slice_merge.py` does."""
    text = (ROOT / "docs" / f"{document}.md").read_text()
    # Folders of a home are called like those of the product.
    folder = r"|\w+/" if document == "architecture" else ""
    named = re.findall(rf"`((?:[\w.-]+/)*(?:\w+\.py|\w+\.java{folder}))`", text)
    there = [file.relative_to(ROOT).as_posix() for file in (ROOT / "airflow_nrt").rglob("*")]
    missing = [one for one in named if not any(f"/{file}".endswith(f"/{one.rstrip('/')}") for file in there)]
    assert [one for one in missing if "NAME" not in one and not (ROOT / one).exists()] == []


@pytest.mark.parametrize("document", ["architecture"])
def test_names_stand_in_the_files_that_they_are_said_to_stand_in(document: str) -> None:
    """`name` in `file`, and `name` (`file`)."""
    text = (ROOT / "docs" / f"{document}.md").read_text()
    claims = re.findall(r"`([A-Za-z_.]+)`(?: in |\s*\()`((?:\w+/)+\w+\.py)`", text)
    assert len(claims) > 5
    for name, file in claims:
        assert name.rpartition(".")[2] in (ROOT / "airflow_nrt" / file).read_text(), f"{name} in {file}"
