"""`docs/reference/home-format.md` names every file of a home, every format, and every record that is read there."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import airflow_nrt
from airflow_nrt.engine.state import state_columns
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.internal_columns import SEEN
from tests.docs.pages import DOCS, ROOT

PAGE = (DOCS / "reference" / "home-format.md").read_text(encoding="utf-8")
ROOMS = ("home", "launch")


def modules() -> Iterator[ModuleType]:
    """Those that read or write files of a home."""
    for room in ROOMS:
        package = importlib.import_module(f"{airflow_nrt.__name__}.{room}")
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(one.name)


def test_every_place_of_a_home_is_named() -> None:
    home = Home(Path("/home"))
    names = [place.key for place in vars(home).values() if isinstance(place, StorePath) and place.key]
    assert len(names) > 10
    assert [name for name in names if not re.search(rf"`{re.escape(name)}[`/]", PAGE)] == []


def test_every_format_is_named() -> None:
    formats = {one.of.strip(",") for module in modules() for one in vars(module).values() if isinstance(one, Format)}
    assert len(formats) > 8
    assert [of for of in sorted(formats) if of.removeprefix("the ") not in PAGE] == []


def test_every_record_that_is_read_is_shown() -> None:
    """By the class that `read_record` is given."""
    files = [file for room in ROOMS for file in (ROOT / "airflow_nrt" / room).rglob("*.py")]
    read = {kind for file in files for kind in re.findall(r"read_record\([^()]*, ([A-Z]\w+)[,)]", file.read_text())}
    assert len(read) > 4
    assert [kind for kind in sorted(read) if f".{kind} -->" not in PAGE] == []


def test_the_columns_of_state_are_named() -> None:
    named = {value for name, value in vars(state_columns).items() if name.isupper()} | {SEEN}
    assert [name for name in sorted(named) if f"`{name}`" not in PAGE] == []
