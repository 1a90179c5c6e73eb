"""A new home lies where nobody else may rename it, or a directory above it; a home of today there is warned of."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.home import Home
from airflow_nrt.home.surroundings import renamed_by
from tests.sample import plan_of
from tests.security.others import AS_ROOT, NOBODY

GROUP = 4242
"""A group that this user is not alone in."""


@pytest.fixture
def above(tmp_path: Path) -> Path:
    """Two directories above a place for homes."""
    place = tmp_path / "above" / "homes"
    place.mkdir(parents=True)
    return place.parent


def refused(home: Path, match: str, group: str | None = None) -> None:
    for door in (Home.create, Home.checked):
        with pytest.raises(HomeError, match=f"{match}, who may put another home in the place of {home}"):
            door(home, plan_of(), None, group)
    assert not home.exists()


@pytest.mark.parametrize("where", ["homes", "."])
def test_below_a_directory_that_everybody_can_write(above: Path, where: str) -> None:
    (above / where).chmod(0o777)
    renamed = "homes/orders" if where == "homes" else "homes"
    refused(above / "homes" / "orders", f"{above / renamed} can be renamed by everybody")


@AS_ROOT
@pytest.mark.parametrize("where", ["homes", "."])
def test_below_a_directory_of_a_group_or_of_another_user(above: Path, where: str) -> None:
    os.chown(above / where, 0, GROUP)
    (above / where).chmod(0o770)
    refused(above / "homes" / "orders", f"can be renamed by group {GROUP}")
    assert Home.create(above / "homes" / "orders", plan_of(), None, str(GROUP)).path.is_dir()
    os.chown(above / where, NOBODY, NOBODY)
    (above / where).chmod(0o755)
    refused(above / "homes" / "sales", f"can be renamed by user {NOBODY}")


def test_below_a_sticky_directory_only_its_owner_renames(above: Path) -> None:
    above.chmod(0o1777)
    (above / "homes").chmod(0o1777)
    assert Home.create(above / "homes" / "orders", plan_of()).report_file.local.is_file()


@AS_ROOT
def test_below_a_sticky_directory_of_another_user_or_one_that_lies_in_it(above: Path) -> None:
    above.chmod(0o1777)
    os.chown(above / "homes", NOBODY, NOBODY)
    refused(above / "homes" / "orders", f"can be renamed by user {NOBODY}")
    os.chown(above / "homes", 0, 0)
    os.chown(above, NOBODY, NOBODY)
    refused(above / "homes" / "orders", f"can be renamed by user {NOBODY}")


def test_a_link_counts_where_it_stands_and_where_it_leads(above: Path, tmp_path: Path) -> None:
    open_to_all, link = tmp_path / "open", tmp_path / "link"
    open_to_all.mkdir()
    link.symlink_to(open_to_all)
    open_to_all.chmod(0o777)
    refused(link / "orders", "can be renamed by everybody")
    (above / "homes" / "link").symlink_to(tmp_path)
    (above / "homes").chmod(0o777)
    refused(above / "homes" / "link" / "orders", "can be renamed by everybody")


@AS_ROOT
def test_the_groups_of_root_and_of_the_user_alone_are_nobody_else(above: Path) -> None:
    """Images of Airflow have directories that root's group can write."""
    os.chown(above, 0, 0)
    above.chmod(0o775)
    assert Home.create(above / "homes" / "orders", plan_of()).path.is_dir()


def test_a_home_of_today_opens_goes_on_and_is_warned_of(above: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = above / "homes" / "orders"
    Home.create(path, plan_of())
    with caplog.at_level(logging.WARNING):
        Home.create(path, plan_of())
        assert not caplog.records
        above.chmod(0o777)
        Home.create(path, plan_of()).check_report(plan_of())
        assert Home.open(path).identity().name
    (said,) = caplog.messages
    assert f"{above / 'homes'} can be renamed by everybody" in said


def test_a_place_that_is_not_there_yet_is_judged_by_what_is(above: Path) -> None:
    assert renamed_by(above / "a" / "b" / "c", None) is None
    above.chmod(0o777)
    assert renamed_by(above / "a" / "b" / "c", None) == f"{above / 'a'} can be renamed by everybody"
