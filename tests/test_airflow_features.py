"""What an older Airflow lacks is left out there, and what can't be is refused in plain words.

Older versions themselves run in `tests/versions`.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest
from airflow import sdk

import tests.airflow_home  # noqa: F401
from airflow_nrt import airflow_features
from airflow_nrt.plugins.nrt import NrtPlugin


def test_the_newest_airflow_has_all_of_it() -> None:
    asked = [name for name in vars(airflow_features) if name.startswith(("has_", "calls_"))]
    assert len(asked) == 5
    assert [name for name in asked if not getattr(airflow_features, name)()] == []
    airflow_features.check_asset_state()


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    """An Airflow without state stores, in which nothing has imported the assets yet."""
    monkeypatch.setattr(sdk, "__all__", [name for name in sdk.__all__ if name != "NEVER_EXPIRE"])
    for name in [name for name in sys.modules if name.startswith("airflow_nrt.assets")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize("module", ["airflow_nrt.assets.day", "airflow_nrt.assets.dispatcher"])
def test_windows_as_assets_say_which_airflow_they_need(older: None, module: str) -> None:
    with pytest.raises(ImportError, match=r"need Airflow 3\.3, and this is .*: there a DAG waits for windows with Nrt"):
        importlib.import_module(module)


def test_the_plugin_registers_only_what_airflow_has(older: None) -> None:
    module: ModuleType = importlib.reload(sys.modules[NrtPlugin.__module__])
    try:
        assert module.NrtPlugin.partition_mappers == []
        assert module.NrtPlugin.external_views
    finally:
        sys.modules[NrtPlugin.__module__].NrtPlugin = NrtPlugin  # type: ignore[attr-defined]
