"""An operator whose results change has another version, and a home of the version before is refused."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.identity import semantics
from airflow_nrt.model.updating import Updating
from airflow_nrt.model.windows import Cumulate, Hop
from tests.sample import ORDERS, plan_of

COUNTED = """SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE counted (shop STRING, n BIGINT) WITH ('connector' = 'print');
INSERT INTO counted SELECT shop, COUNT(*) FROM orders GROUP BY shop;
"""


def test_each_operator_has_a_version() -> None:
    assert set(semantics.UPDATING) == set(get_args(Updating))


def test_a_window_with_other_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home.create(tmp_path / "home", plan_of())
    monkeypatch.setattr(Hop, "semantics", 2)
    Home.create(home.path, plan_of())
    monkeypatch.setattr(Cumulate, "semantics", 2)
    with pytest.raises(InputError, match=r"which version .* made:") as refused:
        Home.create(home.path, plan_of())
    assert "  - CUMULATE 10 minutes / 1 hour has other results: version 1 before, 2 now\n" in str(refused.value)


def test_an_updating_operator_with_other_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(ORDERS + COUNTED)
    home = Home.create(tmp_path / "home", plan)
    (kind,) = {type(one) for one in plan.updating}
    monkeypatch.setitem(semantics.UPDATING, kind, (semantics.UPDATING[kind][0], 2))
    with pytest.raises(InputError, match="GROUP BY without a window has other results: version 1 before, 2 now"):
        Home.create(home.path, plan)
