"""A file system that hangs holds up few threads, and a root that is gone no other."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from airflow_nrt.home.ids import home_id
from airflow_nrt.home.log.log import Log
from airflow_nrt.page import shelf
from airflow_nrt.page.homes import patience
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.log_facts import Facts
from tests.page.lab import Lab
from tests.page.made_homes import Made, make_home, plan_of_homes


def test_a_home_that_hangs_says_so_and_no_more_threads_wait_than_a_few(
    lab: Lab, fresh: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, place = Lab.over(fresh.home.path.parent), f"/nrt/api/reports/{home_id(fresh.home.path)}"
    client = own.client("viewer")
    assert client.get("/nrt/api/reports").json()["reports"][0]["state"] == "running"
    hung, tasks = threading.Event(), Reader.tasks

    def hang(reader: Reader) -> object:
        hung.wait(60)
        return tasks(reader)

    monkeypatch.setattr(Reader, "tasks", hang)
    monkeypatch.setattr(patience, "SECONDS", 0.05)
    before = threading.active_count()
    try:
        for _ in range(10):
            (one,) = client.get("/nrt/api/reports").json()["reports"]
            assert (one["state"], one["why"]) == ("unreachable", shelf.NO_ANSWER)
            assert client.get(place).status_code == 409
        # The server's own threads are among them.
        assert threading.active_count() - before <= 11
    finally:
        hung.set()


@pytest.mark.parametrize("slow", ["first", "second"])
def test_one_home_that_takes_long_keeps_no_other_of_its_root_from_being_read(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    plan = plan_of_homes(tmp_path)
    for name in ("first", "second", "third"):
        make_home(tmp_path / "homes", plan, name, windows=3, dag_id="orders")
    own, going_on, tasks = Lab.over(tmp_path / "homes"), threading.Event(), Reader.tasks

    def take_long(reader: Reader) -> object:
        if reader.place.name == slow:
            going_on.wait(60)
        return tasks(reader)

    def states() -> dict[str, tuple[str, str | None]]:
        return {one["home_label"]: (one["state"], one["why"]) for one in own.get("reports")["reports"]}

    well = dict.fromkeys(("first", "second", "third"), ("running", None))
    monkeypatch.setattr(Reader, "tasks", take_long)
    monkeypatch.setattr(patience, "SECONDS", 1)
    try:
        states()
        for _ in range(2):
            assert states() == {**well, slow: ("unreachable", shelf.NOT_READ)}
    finally:
        going_on.set()
    monkeypatch.setattr(patience, "SECONDS", 20)
    assert states() == well
    monkeypatch.setattr(patience, "SECONDS", 1)
    going_on.clear()
    try:
        states()
        assert states() == well
    finally:
        going_on.set()


def test_the_list_does_not_wait_for_who_reads_a_whole_log(
    lab: Lab, fresh: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Lab.over(fresh.home.path.parent)
    place, follow = f"reports/{home_id(fresh.home.path)}", Facts.follow
    reading, going_on = threading.Event(), threading.Event()

    def take_long(facts: Facts, log: Log) -> None:
        reading.set()
        going_on.wait(60)
        follow(facts, log)

    monkeypatch.setattr(Facts, "follow", take_long)
    other = threading.Thread(target=lambda: own.get(f"{place}/windows"))
    other.start()
    try:
        assert reading.wait(60)
        assert own.get("reports")["reports"][0]["state"] == "running"
    finally:
        going_on.set()
        other.join()


def test_a_root_that_is_gone_is_a_problem_for_administrators(lab: Lab, tmp_path: Path) -> None:
    from airflow_nrt.page.homes.places import Root
    from tests.page.lab import mounted

    make_home(tmp_path / "homes", plan_of_homes(tmp_path), "curve", windows=3, dag_id="orders")
    roots = [
        Root(str(tmp_path / "gone"), "first"),
        Root("s3://bucket", "second"),
        Root(str(tmp_path / "homes"), "third"),
    ]
    own = Lab(tmp_path, mounted(roots))
    told = own.get("reports")
    assert [one["name"] for one in told["reports"]] == ["curve"]
    assert [problem.partition(":")[0] for problem in told["problems"]] == ["first", "second"]
    assert own.get("reports", "viewer")["problems"] == []
