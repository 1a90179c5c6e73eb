"""What the range of a file of state means, by its kind, and which files follow from it."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.home.log.entries import OperatorState, StateFile
from airflow_nrt.home.log.position.state_kinds import (
    HEADS_END,
    FiredRows,
    GroupVersions,
    NumberedRows,
    Partials,
    RowsByTime,
    TableParts,
)
from airflow_nrt.model.windows import Ends, cumulate, hop, tumble


def files(*ranges: tuple[int, int]) -> tuple[StateFile, ...]:
    return tuple(StateFile(f"state/{n}", first, last, 1) for n, (first, last) in enumerate(ranges))


def ranges(kind: Partials | GroupVersions | RowsByTime | TableParts) -> list[tuple[int, int]]:
    return [(file.first, file.last) for file in kind.files]


THREE = Partials(files((10, 20), (20, 40), (60, 60)))


def test_partials_close_with_windows() -> None:
    assert ranges(THREE.closing(20, 40)) == [(20, 40)]
    assert ranges(THREE.closing(0, 10)) == [(10, 20)]
    assert ranges(THREE.closing(40, 59)) == []
    assert ranges(THREE.begun_by(20)) == [(10, 20), (20, 40)]
    assert THREE.span == Ends(10, 60) and THREE.ends[1] == Ends(20, 40)


@pytest.mark.parametrize("end", [0, 10, 19, 20, 39, 40, 60, 61])
def test_each_file_is_closed_or_open(end: int) -> None:
    closed, opened = ranges(THREE.closed_by(end)), ranges(THREE.open_after(end))
    assert sorted(closed + opened) == sorted(ranges(THREE))
    assert all(last <= end for _, last in closed) and all(last > end for _, last in opened)


def test_all_is_open_before_anything_has_fired() -> None:
    assert OperatorState().fired_until == BEFORE_TIME and OperatorState(fired=0).fired_until == 0
    assert THREE.open_after(OperatorState().fired_until) == THREE
    assert Partials(()).open_after(BEFORE_TIME).files == ()


def test_slices_stay_as_long_as_a_window_has_them() -> None:
    """A day from 0 to 40 in steps of 10: its slices are in the window that ends at 40, after they have closed."""
    day = cumulate(10, 40)
    assert ranges(THREE.in_windows_after(39, day)) == [(10, 20), (20, 40), (60, 60)]
    assert ranges(THREE.in_windows_after(40, day)) == [(60, 60)]
    assert ranges(THREE.in_windows_after(40, tumble(10))) == [(60, 60)]
    assert ranges(THREE.in_windows_after(40, hop(10, 30))) == [(20, 40), (60, 60)]


def test_a_slice_outlasts_the_windows_with_which_it_closes() -> None:
    assert THREE.outlast(0, 20, cumulate(10, 40)) and not THREE.outlast(0, 40, cumulate(10, 40))
    assert not THREE.outlast(0, 60, tumble(10)) and not THREE.outlast(40, 50, cumulate(10, 40))


def test_heads_have_no_time() -> None:
    found = FiredRows.of(files((10, 20), (HEADS_END, HEADS_END), (BEFORE_TIME + 1, 5)))
    assert [file.path for file in found.heads] == ["state/1"]
    assert [file.path for file in found.rows] == ["state/0", "state/2"]


def test_versions_grow_also_where_the_clock_goes_back() -> None:
    versions = GroupVersions(files((100, 100), (100, 250)))
    assert versions.following(1000) == 1000 and versions.following(240) == 251
    assert GroupVersions(()).following(7) == 7
    assert versions.newest == 250


def test_versions_expire_with_their_newest() -> None:
    versions = GroupVersions(files((100, 100), (100, 250)))
    assert versions.after(None) == versions and ranges(versions.after(100)) == [(100, 250)]
    assert versions.after(250).files == ()
    assert not versions.are_one_version and GroupVersions(versions.files[:1]).are_one_version
    assert not versions.after(100).are_one_version


def test_versions_follow_others() -> None:
    old, new = GroupVersions(files((100, 100))), GroupVersions(files((0, 0), (101, 300), (100, 300)))
    assert not new.follow(old) and GroupVersions(new.files[1:2]).follow(old)
    assert GroupVersions(()).follow(old)
    assert ranges(new.without(GroupVersions(new.files[:2]))) == [(100, 300)]


def test_recent_rows_go_by_their_time() -> None:
    rows = RowsByTime(files((10, 20), (30, 40)))
    assert rows.latest == 40 and RowsByTime(()).latest is None
    assert ranges(rows.since(20)) == [(10, 20), (30, 40)] and ranges(rows.since(21)) == [(30, 40)]
    assert ranges(rows.within([(0, 9), (40, 50)])) == [(30, 40)] and ranges(rows.within([(20, 20)])) == [(10, 20)]
    assert rows.within([(21, 29)]).files == ()


def test_batches_are_numbered_from_one() -> None:
    assert NumberedRows(()).following == 1 and NumberedRows(files((1, 3), (2, 2))).following == 4


def test_parts_of_a_table_are_replaced_one_by_one() -> None:
    parts = TableParts(files((0, 0), (7, 7), (9, 9)))
    assert ranges(parts.of({7, 8})) == [(7, 7)] and ranges(parts.without({7, 8})) == [(0, 0), (9, 9)]
