"""Names of homes come from templates: none leaves the root of the connection's homes, and each can be said in a log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.hooks.nrt import NrtHook
from tests.sample import plan_of


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NrtHook:
    (tmp_path / "homes").mkdir()
    extra = {"home": str(tmp_path / "homes")}
    monkeypatch.setenv("AIRFLOW_CONN_REPORTS", json.dumps({"conn_type": "nrt", "extra": extra}))
    return NrtHook("reports")


@pytest.mark.parametrize(
    "place", ["../other", "../../etc/x", "a/../../other", "/etc/x", "file:///etc/x", ".", "a/..", "../homes-2/x"]
)
def test_a_place_that_leaves_the_root(hook: NrtHook, place: str) -> None:
    with pytest.raises(InputError, match=r"the connection has its homes below .*: give a place there"):
        hook.home(place)


@pytest.mark.parametrize("name", ["../other", ".."])
def test_nor_does_a_report_s_name_leave_it(hook: NrtHook, name: str) -> None:
    with pytest.raises(InputError, match="the connection has its homes below"):
        hook.home(None, name)


def test_a_link_below_the_root_that_leads_out_of_it(hook: NrtHook, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "homes" / "link").symlink_to(tmp_path / "elsewhere")
    for place in ("link", "link/orders"):
        with pytest.raises(InputError, match=f"is {tmp_path}/elsewhere"):
            hook.home(place)


def test_the_root_itself_may_be_a_link(hook: NrtHook, tmp_path: Path) -> None:
    (tmp_path / "homes").rename(tmp_path / "disk")
    (tmp_path / "homes").symlink_to(tmp_path / "disk")
    assert hook.home("orders").path == tmp_path / "homes" / "orders"
    assert hook.home(str(tmp_path / "disk" / "orders")).path == tmp_path / "disk" / "orders"


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "a\rb", "a\x1b[2Jb", "a\x85b", "a\u2028b", "a\ud800b"])
def test_characters_that_no_name_has(hook: NrtHook, tmp_path: Path, name: str) -> None:
    for attempt in (
        lambda: hook.home(name),
        lambda: hook.home(None, name),
        lambda: NrtHook().home(str(tmp_path / name)),
        lambda: Home.open(tmp_path / name),
        lambda: Home.create(tmp_path / "home", plan_of(name=name)),
    ):
        with pytest.raises(InputError, match="has the character") as wrong:
            attempt()
        assert name not in str(wrong.value)
    assert [path.name for path in tmp_path.iterdir()] == ["homes"]


def test_a_name_that_no_file_system_takes(hook: NrtHook) -> None:
    for name in ("a" * 256, "ü" * 128):
        with pytest.raises(InputError, match="has a name of 256 bytes: 255 are the most"):
            hook.home(name)
    assert hook.home("ü" * 127).path.name == "ü" * 127
