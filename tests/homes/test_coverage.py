"""All that a home can have is in one of the kept homes: a new field, operator or directory needs one that has it."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from airflow_nrt.engine.updating import execution_of as updating
from airflow_nrt.engine.windows import execution as windowed
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.home.directories import PARTS
from airflow_nrt.home.home import Home
from airflow_nrt.home.log import entries
from airflow_nrt.home.log.entries import ARCHIVED, COMPACTED
from airflow_nrt.home.next_generation import former_of
from airflow_nrt.model.result_timing import COMPLETE
from airflow_nrt.table.reports.load import plan_of_home
from tests.homes.archives import names, unpack

_OF_A_LAKEHOUSE = {"SourceFile.version", "TableVersion.number", "TableVersion.files"}
_OF_A_TOPIC = {"Restate.ranges", "SourceRange.lost"}
_OF_OLD_DRIVERS = {"OperatorState.suspect"}
"""It is read and handed on, and no code writes it any more."""
WITHOUT_A_HOME = _OF_A_LAKEHOUSE | _OF_A_TOPIC | _OF_OLD_DRIVERS
"""Fields that no home uses. Whoever adds a home takes its fields away from here, and nothing is added."""


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> list[Home]:
    """All generations of each."""
    found: list[Home] = []
    for name in names():
        home: Home | None = Home.open(unpack(name, tmp_path_factory.mktemp(name)) / "home")
        while home is not None:
            found.append(home)
            home = former_of(home)
    return found


def parts_of(kind: Any) -> Iterator[type[Any]]:
    """The dataclasses in a type."""
    if dataclasses.is_dataclass(kind):
        yield kind  # type: ignore[misc]
    for one in typing.get_args(kind):
        yield from parts_of(one)


def fields_below(*kinds: Any) -> set[str]:
    """`Class.field` of all dataclasses that can be reached."""
    found: set[str] = set()
    left, seen = [one for kind in kinds for one in parts_of(kind)], set()
    while left:
        kind = left.pop()
        if kind in seen:
            continue
        seen.add(kind)
        for name, of in typing.get_type_hints(kind).items():
            found.add(f"{kind.__name__}.{name}")
            left += parts_of(of)
    return found


def used(value: Any) -> Iterator[str]:
    """`Class.field` of all fields below a value that are not empty: 0 is something, False is nothing."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            inner = getattr(value, field.name)
            if not (inner is None or inner is False or inner in ((), "") or inner == {}):
                yield f"{type(value).__name__}.{field.name}"
            yield from used(inner)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from used(one)
    elif isinstance(value, tuple):
        for one in value:
            yield from used(one)


def test_each_field_of_the_log_is_used(homes: list[Home]) -> None:
    wanted = fields_below(entries.Body)
    assert {"Commit.files", "Position.versions", "StateFile.rows", "Fill.left"} <= wanted
    found = {name for home in homes for entry in home.log().audit() for name in used(entry.body)}
    assert wanted - found == WITHOUT_A_HOME


def test_each_kind_of_entry_is_there(homes: list[Home]) -> None:
    found = {type(entry.body) for home in homes for entry in home.log().audit()}
    assert found == {*typing.get_args(entries.Body)}


def test_each_kind_of_operator_has_state(homes: list[Home]) -> None:
    """By its implementation; of windows also by how they share slices."""
    positions = {home: home.log().position() for home in homes}
    plans = {home: plan_of_home(home) for home in homes}
    windows, steps = set(), set()
    for home, position in positions.items():
        for operator in plans[home].operators:
            state, layout = position.operators[operator.name], layout_of(operator)
            if state.rows or state.closed:
                kind = windowed.execution_of(layout)
                windows.add((kind, layout.slices) if kind is windowed.SLICED else (kind, None))
        steps |= {type(one) for one in plans[home].updating if position.updating[one.name]}
    kinds = {one for one in vars(windowed).values() if isinstance(one, windowed.WindowExecution)}
    assert {kind for kind, _ in windows} == kinds
    assert len({slices for _, slices in windows if slices is not None}) == 3
    assert steps == {*updating._STEPS, *updating._OTHERS}


def test_each_state_of_results_is_there(homes: list[Home]) -> None:
    found = {one.state for home in homes for entry in home.log().audit() for one in entry.published}
    assert {"early", COMPLETE, "late", "last", "restated", "passed", "changed", ARCHIVED, COMPACTED} == found


def test_each_directory_has_something(homes: list[Home]) -> None:
    found = {part for home in homes for part in PARTS if any((home.path / part).glob("*"))}
    # A driver removes its scratch when it ends.
    assert found == {*PARTS} - {"scratch"}
