"""`docs/reference/sql.md` and `docs/architecture.md` tell what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.sql.expressions.aggregates import AGGREGATES
from airflow_nrt.sql.expressions.functions import KNOWN_LATER
from airflow_nrt.sql.parse.statements import REFUSED
from airflow_nrt.sql.parse.types import _LATER as TYPES_LATER

ROOT = Path(__file__).resolve().parents[2]
SQL = (ROOT / "docs" / "reference" / "sql.md").read_text()
LATER = SQL.partition("## Not there yet")[2].partition("\n## ")[0]
TOLD = re.compile(r"NotThereYet\(\s*f?\"([^\"]+)\"")


def test_every_name_that_is_not_there_yet_is_listed() -> None:
    listed = set(re.findall(r"[A-Z]\w+|\bE\b", LATER))
    assert {*KNOWN_LATER, *TYPES_LATER} <= listed
    assert set(REFUSED) <= set(re.findall(r"[A-Z]\w+", SQL))
    assert set(AGGREGATES) <= set(re.findall(r"\w+", SQL.partition("## Not there yet")[0]))


def test_every_construct_that_is_refused_is_listed() -> None:
    """What a message has before its variable part, or behind it. What functions refuse stands with them."""
    functions = ROOT / "airflow_nrt" / "sql" / "expressions" / "functions"
    files = [file for file in (ROOT / "airflow_nrt" / "sql").rglob("*.py") if file.parent != functions]
    told = [text for file in files for text in TOLD.findall(file.read_text())]
    assert len(told) > 25
    fixed = [max(re.split(r"\{[^}]*\}", text), key=len).strip(" :(") for text in told]
    assert [text for text in fixed if text not in LATER] == []


@pytest.mark.parametrize("document", ["architecture", "reference/sql"])
def test_files_that_are_named_exist(document: str) -> None:
    text = (ROOT / "docs" / f"{document}.md").read_text()
    for name in re.findall(r"`((?:\w+/)+\w+\.\w+|(?:\w+/)+)`", text):
        if "NAME" not in name:
            assert (ROOT / "airflow_nrt" / name).exists() or (ROOT / name).exists(), name
