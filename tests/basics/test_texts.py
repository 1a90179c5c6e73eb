"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.texts import counted


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (1, "file", "1 file"),
        (0, "file", "0 files"),
        (2000, "late row", "2,000 late rows"),
        (2, "batch", "2 batches"),
        (2, "entry", "2 entries"),
        (2, "day", "2 days"),
    ],
)
def test_a_noun_has_the_number_of_its_count(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text
