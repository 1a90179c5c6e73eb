"""What the page says is what the home holds."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.home.ids import home_id
from airflow_nrt.home.launch_failure import note_launch_failure
from airflow_nrt.home.notes.samples import read_samples, sampled_files
from airflow_nrt.home.notes.unread import UnreadFiles, note_unread
from airflow_nrt.home.status import read_status
from airflow_nrt.page.homes.known_samples import KnownSamples
from airflow_nrt.page.homes.places import Root, find
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.state import state_of
from tests.launch.homes import beat, launch, lease, new_home
from tests.page.lab import Lab, mounted
from tests.page.made_homes import DAY, INSERT, STEP, Made, make_home, plan_of_homes
from tests.security.others import AS_ROOT, give_to_nobody

MIDNIGHT = 1_718_668_800_000
"""2024-06-18 00:00:00."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Nine days of windows, up to noon of 2024-06-18."""
    root = tmp_path_factory.mktemp("numbers")
    return make_home(root, plan_of_homes(root), "curve", windows=9 * 144, dag_id="orders", until=MIDNIGHT + DAY // 2)


@pytest.fixture(scope="module")
def own(lab: Lab, made: Made) -> Lab:
    return Lab.over(made.home.path.parent)


def get(own: Lab, made: Made, part: str = "", **parameters: Any) -> Any:
    return own.get(f"reports/{home_id(made.home.path)}{part}", "viewer", **parameters)


def clock(ms: int) -> str:
    return format_instant(ms).replace(" ", "T")


def test_the_list_says_what_status_says(own: Lab, made: Made) -> None:
    (one,) = own.get("reports", "viewer")["reports"]
    status = read_status(made.home)
    told = {name: one[name] for name in ("windows", "rows", "late_rows", "rejected_rows", "epoch", "restarts")}
    assert told == {
        "windows": status.windows, "rows": status.rows, "late_rows": status.late, "rejected_rows": status.rejected,
        "epoch": status.epoch, "restarts": status.epoch - 1,
    }  # fmt: skip
    assert (one["state"], one["why"], one["dag_id"], one["zone"]) == ("running", None, "orders", "UTC")
    assert one["latest_window_end"] == "2024-06-18T12:00:00"
    assert one["freshness_seconds"] > 86_400 and one["lag_seconds"] > 86_400


def test_files_of_closed_directories_are_counted(lab: Lab, tmp_path: Path) -> None:
    other = make_home(tmp_path, plan_of_homes(tmp_path), "curve", windows=3, dag_id="orders")
    two = Lab.over(tmp_path)
    assert get(two, other)["unread_files"] == two.get("reports")["reports"][0]["unread_files"] == 0
    note_unread(other.home, {"orders": {"/d": UnreadFiles(2, 9), "/e": UnreadFiles(1, 9)}})
    assert get(two, other)["unread_files"] == two.get("reports")["reports"][0]["unread_files"] == 3
    note_unread(other.home, {})
    assert get(two, other)["unread_files"] == 0


def test_homes_of_one_name_are_told_apart_by_their_whole_paths(lab: Lab, made: Made, tmp_path: Path) -> None:
    other = make_home(tmp_path / "other", plan_of_homes(tmp_path), "curve", windows=3, dag_id="orders")
    make_home(tmp_path / "other", plan_of_homes(tmp_path), "alone", windows=3, dag_id="orders")
    roots = [Root(str(one.home.path.parent), one.home.path.parent.name) for one in (made, other)]
    two = Lab(made.home.path.parent, mounted(roots))
    listed = {one["home_label"] for one in two.get("reports")["reports"]}
    assert listed == {str(made.home.path), str(other.home.path), "alone"}
    assert get(two, other)["home"] == str(other.home.path)


def test_the_rate_falls_to_zero_where_nothing_comes(made: Made) -> None:
    reader = Reader(find(Root(str(made.home.path.parent), "homes")).places[home_id(made.home.path)], KnownSamples())
    last = reader.tail().commits[0][0].time

    def rate(after: int) -> float | None:
        return replace(state_of(reader, last + after), state="running").rows_per_second

    steady = rate(STEP)
    assert steady is not None and 0 < steady < 10
    assert rate(3 * STEP + 1000) == 0


def test_a_start_that_failed_is_what_is_wrong(own: Lab, made: Made) -> None:
    launch(made.home, 7)
    note_launch_failure(str(made.home.path), "7", InputError("the database refuses the login of 'nrt'"))
    try:
        (one,) = own.get("reports", "viewer")["reports"]
    finally:
        shutil.rmtree(made.home.launches.local)
    assert (one["state"], one["why"]) == ("failed", "the last start failed: the database refuses the login of 'nrt'")


def test_a_list_of_one_dag_has_the_homes_that_its_tasks_work_on(own: Lab) -> None:
    def listed(dag_id: str) -> int:
        return len(own.get("reports", dag_id=dag_id)["reports"])

    assert (listed("orders"), listed("orders_nightly"), listed("other")) == (1, 1, 0)


def test_a_report_has_its_inserts_days_and_script(own: Lab, made: Made) -> None:
    told = get(own, made)
    (insert,) = told["inserts"]
    assert (insert["name"], insert["keys"]) == (INSERT, ["shop_id"])
    assert insert["measures"] == ["buyers", "orders", "gmv"]
    assert insert["window"] == {"text": "CUMULATE 10 minutes / 1 day", "step_minutes": 10}
    assert insert["sample"] == {"on": True, "top": 20}
    assert (told["days"][0], len(told["days"])) == ("2024-06-18", 10)
    assert "${DATA}" in told["sql"] and str(made.home.path.parent) not in told["sql"]


def test_a_curve_is_the_samples_of_three_days(own: Lab, made: Made) -> None:
    told = get(own, made, "/curve", measure="gmv", keys=["TOTAL", "3"])
    assert (told["day"], told["step_minutes"], told["steps"][:2], told["steps"][-1]) == (
        "2024-06-18",
        10,
        [10, 20],
        1440,
    )
    assert [one["label"] for one in told["days"]] == ["2024-06-18", "2024-06-17", "2024-06-11"]
    assert (told["known_keys"][:2], told["sampled"], told["scale"]) == (["1", "2"], True, 2)
    for back, day in zip((0, 1, 7), told["days"]):
        start = MIDNIGHT - back * DAY
        samples = {}
        for (end, _), one in sorted(read_samples(sampled_files(made.home, INSERT, day["date"])).items()):
            samples[end] = one
        ends = [start + n * STEP for n in range(1, 145)]
        total, third = day["series"]
        assert total["values"] == [samples[end].total[2] if end in samples else None for end in ends]
        keys = [{row.key: row.values[2] for row in samples[end].top} if end in samples else {} for end in ends]
        assert third["values"] == [row.get(("3",)) for row in keys]
    assert told["days"][0]["series"][0]["values"][71] is not None
    assert told["days"][0]["series"][0]["values"][72:] == [None] * 72


def test_windows_have_their_states_on_the_curve_and_in_the_list(own: Lab, made: Made) -> None:
    last = MIDNIGHT + DAY // 2
    on_curve = {one["minute"]: one for one in get(own, made, "/curve")["windows"] if one}
    listed = get(own, made, "/windows", day="2024-06-18", limit=500)
    assert (listed["total"], len(listed["windows"])) == (72, 72)
    by_end = {one["end"]: one for one in listed["windows"]}
    expected = {last - 29 * STEP: "backfilled", last - 19 * STEP: "repaired", last - 11 * STEP: "mismatch"}
    for end in range(MIDNIGHT + STEP, last + 1, STEP):
        if last - 29 * STEP <= end <= last - 26 * STEP:
            state = "backfilled"
        elif last - 19 * STEP <= end <= last - 18 * STEP:
            state = "repaired"
        else:
            state = expected.get(end, "complete")
        assert by_end[clock(end)]["state"] == on_curve[(end - MIDNIGHT) // 60_000]["state"] == state
    assert by_end[clock(last - 39 * STEP)]["verdict"] == "explained"
    assert by_end[clock(last)]["verdict"] == "equal" and by_end[clock(last)]["wrong_since"] is None
    assert by_end[clock(last - 11 * STEP)]["wrong_since"].endswith("(UPDATE) changed it")
    assert by_end[clock(last - 29 * STEP)]["published_by"] == "backfill"
    assert by_end[clock(last)]["published_by"] == f"driver of epoch {made.epoch}"


def test_late_rows_stand_at_the_windows_that_they_missed(own: Lab, made: Made) -> None:
    on_curve = get(own, made, "/curve", day="2024-06-17")["windows"]
    assert sum(one["late_rows"] > 0 for one in on_curve) >= 20
    end = next(one["end"] for one in on_curve if one["late_rows"])
    one = get(own, made, f"/windows/{INSERT}/{end}")
    assert len(one["late"]) == one["late_rows"] > 0
    assert one["late"][0]["row"].keys() == {"order_id", "shop_id", "price", "pay_time"}
    assert "/" not in one["late"][0]["file"]


def test_one_window_has_the_rows_of_its_last_version_and_all_versions(own: Lab, made: Made) -> None:
    end = MIDNIGHT + DAY // 2 - 19 * STEP
    one = get(own, made, f"/windows/{INSERT}/{clock(end)}")
    assert one["columns"] == ["shop_id", "buyers", "orders", "gmv"]
    assert [row[0] for row in one["rows"]] == [str(n) for n in range(1, 9)] and one["row_count"] == 8
    assert [version["by"] for version in one["history"]] == ["repair", f"driver of epoch {made.epoch}"]
    samples = read_samples(sampled_files(made.home, INSERT, "2024-06-18"))
    newest = max((n, one) for (at, n), one in samples.items() if at == end)[1]
    assert one["total"]["gmv"] == newest.total[2]


def test_batches_restarts_and_verifications_share_a_time_axis(own: Lab, made: Made) -> None:
    told = get(own, made, "/timeline", day="2024-06-18")
    assert len(told["batches"]) == 73
    assert all(one["seconds"] > 0 and one["windows"] == 1 and one["files"] == 1 for one in told["batches"])
    kinds = [event["kind"] for event in told["events"]]
    assert kinds.count("backfill") == kinds.count("repair") == 1
    first = get(own, made, "/timeline", day=told["days"][-1])["events"][0]
    assert (first["kind"], first["epoch"]) == ("start", 1)
    assert {event["kind"] for event in get(own, made, "/timeline")["events"]} == {"verify"}


def test_what_is_new_in_a_home_is_seen_at_once(lab: Lab, fresh: Made) -> None:
    own = Lab.over(fresh.home.path.parent)
    before = get(own, fresh, "/curve")
    fresh.until += STEP
    fresh.entries, known = [], len(fresh.entries)
    fresh.entries = [None] * known  # type: ignore[list-item]
    fresh._commit(fresh.until, 50, 0)
    fresh._tick(fresh.until)
    for entry in fresh.entries[known:]:
        import json

        file = fresh.home.log_directory.local / f"{entry.n}.json"
        file.write_text(json.dumps(entry.to_json()))
        file.chmod(0o600)
    after = get(own, fresh, "/curve", day=before["day"])
    assert after != before


BROKEN = {
    "no identity": ("report.json", "{", "report.json", 409),
    "a heartbeat that is none": ("heartbeats/1.json", "[]", "heartbeat", 200),
    "a log that is none": ("log/1.json", "{}", "log entry", 409),
}


@pytest.mark.parametrize(("file", "content", "why", "curve"), BROKEN.values(), ids=BROKEN)
def test_a_home_that_can_t_be_read_says_so_and_harms_no_other(
    lab: Lab, fresh: Made, tmp_path: Path, file: str, content: str, why: str, curve: int
) -> None:
    make_home(tmp_path / "homes", plan_of_homes(tmp_path), "other", windows=3, dag_id="orders")
    (fresh.home.path / file).write_text(content)
    own = Lab.over(fresh.home.path.parent)
    told = {one["home_label"]: one for one in own.get("reports", "viewer")["reports"]}
    assert (told["fresh"]["state"], told["fresh"]["windows"]) == ("unreachable", None)
    assert why in told["fresh"]["why"]
    assert told["other"]["state"] == "running"
    assert get(own, fresh)["state"] == "unreachable"
    assert own.client().get(f"/nrt/api/reports/{home_id(fresh.home.path)}/curve").status_code == curve


@AS_ROOT
def test_a_home_of_another_user_is_not_believed(lab: Lab, fresh: Made) -> None:
    """Nor is the DAG that it names: only administrators learn of it."""
    give_to_nobody(fresh.home.path)
    own = Lab.over(fresh.home.path.parent)
    assert own.get("reports", "viewer")["reports"] == []
    (one,) = own.get("reports", "admin")["reports"]
    assert (one["state"], "belongs to user 65534" in one["why"]) == ("unreachable", True)


def test_states_of_drivers(lab: Lab, fresh: Made) -> None:
    own = Lab.over(fresh.home.path.parent)

    def state() -> tuple[str, str | None]:
        (one,) = own.get("reports")["reports"]
        return one["state"], one["why"]

    assert state() == ("running", None)
    fresh.beat("failed", error="column price: 'abc' is no DECIMAL", final=True)
    assert state() == ("failed", "column price: 'abc' is no DECIMAL")
    fresh.beat("running", pid=2**21, host="elsewhere")
    assert state()[0] == "running", "of a process on another host nothing is known but its heartbeat"
    fresh.beat("running", pid=2**21)
    assert state()[0] == "lost" and "is gone" in str(state()[1])
    for file in fresh.home.heartbeats.local.iterdir():
        file.unlink()
    assert state()[0] == "lost"


def test_a_home_in_its_first_minute_is_starting(lab: Lab, tmp_path: Path) -> None:
    home = new_home(tmp_path / "homes")
    own = Lab.over(tmp_path / "homes")

    def state() -> tuple[str, str | None, int, str | None]:
        (one,) = own.get("reports")["reports"]
        return one["state"], one["why"], one["windows"], one["watermark"]

    assert state() == ("none", None, 0, None)
    record = launch(home, 1)
    assert state() == ("starting", None, 0, None)
    assert own.get(f"reports/{home_id(home.path)}/curve")["note"] == "no window is published yet"
    lease(home)
    assert state() == ("starting", None, 0, None)
    beat(home, 1, "failed", launch=record.id, error="the disk is full")
    assert state()[:2] == ("failed", "the disk is full")
    launch(home, 2)
    assert state()[:2] == ("starting", None), "after a failure, too"
