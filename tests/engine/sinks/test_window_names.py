"""The end of a window can be read in the name of its file."""

from __future__ import annotations

import pytest

from airflow_nrt.engine.sinks.window_names import compact, end_in

AT = 1_718_704_800_000


@pytest.mark.parametrize("end", [AT, AT + 1, AT + 999, AT + 86_400_000])
@pytest.mark.parametrize("more", ["", f"-{'0a' * 16}"])
def test_the_end_is_found_again(end: int, more: str) -> None:
    assert end_in(f"day=2024-06-18/a-table-{compact(AT - 1)}-{compact(end)}{more}.csv") == end
    assert end_in(str(end)) == end


@pytest.mark.parametrize("name", ["all.csv", "sales-20240618.csv", f"sales-{'0a' * 16}.json", "a-b/c.parquet"])
def test_other_names_have_none(name: str) -> None:
    assert end_in(name) is None
