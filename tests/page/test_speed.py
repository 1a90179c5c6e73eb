"""50 reports and 10,000 windows: each answer within 200 ms once it was asked for, the list within a second at first."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from airflow_nrt.home.ids import home_id
from tests.page.lab import Lab, know_dags
from tests.page.made_homes import make_homes
from tests.page.serve import DAGS


@pytest.mark.slow
def test_fifty_reports_and_ten_thousand_windows(lab: Lab, tmp_path: Path) -> None:
    homes = list(make_homes(tmp_path / "homes"))
    know_dags(*DAGS)
    client = Lab.over(tmp_path / "homes").client("viewer")

    def seconds(path: str) -> float:
        began = time.perf_counter()
        assert client.get(f"/nrt/api/{path}").status_code == 200
        return time.perf_counter() - began

    one = f"reports/{home_id(homes[0].home.path)}"
    parts = ["reports", one, *(f"{one}/{part}" for part in ("curve", "timeline", "windows?limit=500"))]
    first = {part: seconds(part) for part in parts}
    again = {part: min(seconds(part) for _ in range(5)) for part in parts}
    for part in parts:
        print(f"{part.replace(one, 'one report'):32} {first[part] * 1000:6.0f} ms, again {again[part] * 1000:4.0f} ms")
    assert first["reports"] < 1
    assert max(again.values()) < 0.2
