"""What installed packages add by entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.registry import Registry

GROUP = "airflow_nrt.test_numbers"


@pytest.fixture
def package(tmp_path: Path) -> Iterator[None]:
    """An installed package with three entry points; its own `one` is that of the product already."""
    (tmp_path / "numbers_of_others.py").write_text("ONE, SEVEN, TEXT = 100, 7, 'x'\n")
    metadata = tmp_path / "numbers_of_others-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: numbers-of-others\nVersion: 1.0\n")
    points = {"one": "ONE", "seven": "SEVEN", "text": "TEXT", "missing": "MISSING"}
    lines = [f"[{GROUP}]", *(f"{name} = numbers_of_others:{value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    sys.path.insert(0, str(tmp_path))
    yield
    sys.path.remove(str(tmp_path))
    sys.modules.pop("numbers_of_others", None)


def test_what_is_installed_is_found(package: None) -> None:
    numbers = Registry(GROUP, int, {"one": 1})
    assert numbers["seven"] == 7
    assert [*numbers] == ["one", "seven", "text", "missing"] and len(numbers) == 4
    assert "seven" in numbers and "eight" not in numbers


def test_a_known_name_stays_what_it_is(package: None) -> None:
    assert Registry(GROUP, int, {"one": 1})["one"] == 1


def test_an_unknown_name_is_a_key_error(package: None) -> None:
    with pytest.raises(KeyError):
        Registry(GROUP, int, {"one": 1})["eight"]
    assert Registry(GROUP, int, {"one": 1}).get("eight") is None


def test_a_part_that_a_package_lacks_is_said(package: None) -> None:
    with pytest.raises(InputError, match=f"no installed package has an entry point 'eight' of {GROUP}"):
        Registry(GROUP, int, {"one": 1}).of("eight")
    assert Registry(GROUP, int, {"one": 1}).of("seven") == 7


def test_two_packages_do_not_share_a_name(package: None, tmp_path: Path) -> None:
    metadata = tmp_path / "others-2.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 2.0\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nseven = others:SEVEN\n")
    with pytest.raises(InputError, match="both named 'seven'"):
        Registry(GROUP, int, {"one": 1})["seven"]
    assert Registry(GROUP, int, {"one": 1})["one"] == 1


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("text", r"numbers-of-others: the entry point text = 'numbers_of_others:TEXT' .* is no int: name an instance"),
        ("missing", r"numbers-of-others: the entry point missing = .* can't be loaded: AttributeError: .*MISSING"),
    ],
)
def test_an_entry_point_that_is_wrong_is_named(package: None, name: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        Registry(GROUP, int, {})[name]
