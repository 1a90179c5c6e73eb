"""A number of rows, a share of all rows, or the larger of both."""

from __future__ import annotations

import pytest

from airflow_nrt.model.options.rows_and_share import RowsAndShare

TEXTS = {
    "0": RowsAndShare(),
    "100": RowsAndShare(100),
    " 0.1% ": RowsAndShare(0, "0.1"),
    "100, 0.1 %": RowsAndShare(100, "0.1"),
    "5 % ,7": RowsAndShare(7, "5"),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_read(text: str) -> None:
    found = RowsAndShare.read(text)
    assert found == TEXTS[text] == RowsAndShare.read(str(found))
    assert bool(found) == (text != "0")


@pytest.mark.parametrize("text", ["", "-1", "1.5", "101 %", "1, 2", "1 %, 2 %", "many", "1e3", "%", "1,", "1 %%"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write for example '100, 0\.1 %'"):
        RowsAndShare.read(text)


def test_the_larger_of_both() -> None:
    limit = RowsAndShare(100, "0.1")
    assert limit.allows(100, 100) and not limit.allows(101, 100_999) and limit.allows(101, 101_000)
    assert not RowsAndShare().allows(1, 10) and RowsAndShare().allows(0, 0)
