"""A change comes from the page itself; nothing leads out of a home; nothing but the page runs in the browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.home.ids import home_id
from tests.page.lab import BASE, SAME_ORIGIN, Lab
from tests.page.made_homes import Made

JSON = {"Content-Type": "application/json"}
FOREIGN = {
    "another site": {**SAME_ORIGIN, "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
    "another site, to an old browser": {"X-NRT-Action": "1", "Origin": "http://evil.example"},
    "a sibling": {**SAME_ORIGIN, "Sec-Fetch-Site": "same-site"},
    "another port": {"X-NRT-Action": "1", "Origin": f"{BASE}:8081"},
    "a sandboxed frame": {"X-NRT-Action": "1", "Origin": "null"},
    "a typed address": {**SAME_ORIGIN, "Sec-Fetch-Site": "none"},
    "a form": {"Origin": BASE, "Sec-Fetch-Site": "same-origin"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
def test_a_change_from_elsewhere_is_refused(lab: Lab, homes: dict[str, Made], headers: dict[str, str]) -> None:
    home = homes["curve"].home
    place = f"/nrt/api/reports/{home_id(home.path)}/stop"
    assert lab.client().post(place, headers={**headers, **JSON}, content="{}").status_code == 403
    assert not home.stop_file.exists()


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_can_send_is_no_change(lab: Lab, homes: dict[str, Made], kind: str) -> None:
    home = homes["curve"].home
    place = f"/nrt/api/reports/{home_id(home.path)}/stop"
    assert lab.client().post(place, headers={**SAME_ORIGIN, "Content-Type": kind}, content="{}").status_code == 415
    assert not home.stop_file.exists()


def test_a_change_by_get_is_none(lab: Lab, homes: dict[str, Made]) -> None:
    place = f"/nrt/api/reports/{home_id(homes['curve'].home.path)}/stop"
    assert lab.client().get(place, headers=SAME_ORIGIN).status_code == 405


PATHS = [
    "api/reports/..", "api/reports/..%2F..%2Fetc", "api/reports/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "api/reports/{path}", "api/reports/{id}%2F..%2Fbare", "api/reports/{id}/../bare", "static/..%2Fapp.py",
    "static/%2e%2e/app.py", "static/../app.py", "static/%2e%2e", "static/", "static/%00", "static/index.html%00.js",
    "api/reports/{id}/windows/..%2F..%2Fledger/2024-06-18T10:00:00", "api/reports/{id}/windows/../2024-06-18",
    "api/reports/{id}/curve?insert=../../ledger", "api/reports/{id}/windows?insert=..",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_found_by_its_path(lab: Lab, homes: dict[str, Made], path: str) -> None:
    home = homes["curve"].home
    place = path.format(id=home_id(home.path), path=str(home.path).replace("/", "%2F"))
    assert lab.client().get(f"/nrt/{place}").status_code in (404, 405, 422)


DAYS = ["2024-06-18T10:00:00", "../2024-06-18", "", "9" * 500, "0000-00-00"]


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize("part", ["curve", "timeline", "windows"])
def test_what_is_no_day_is_refused(lab: Lab, homes: dict[str, Made], part: str, day: str) -> None:
    place = f"/nrt/api/reports/{home_id(homes['curve'].home.path)}/{part}"
    assert lab.client().get(place, params={"day": day}).status_code == 422


@pytest.mark.parametrize("path", ["", "static/index.html", "api/reports", "api/reports/none", "nothing"])
@pytest.mark.parametrize("role", ["admin", None])
def test_every_answer_lets_the_browser_run_nothing_else(lab: Lab, path: str, role: str | None) -> None:
    headers = lab.client(role).get(f"/nrt/{path}").headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"


def test_answers_are_json_whatever_a_home_says(lab: Lab, homes: dict[str, Made]) -> None:
    home = homes["bare"].home
    home.driver_log.local.write_text("<script>alert(1)</script>\x1b[31m\u202e\n")
    answer = lab.client().get(f"/nrt/api/reports/{home_id(home.path)}/log")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json()["lines"] == ["<script>alert(1)</script>?[31m?"]


@pytest.mark.parametrize(
    "place", ["notes/samples/orders_curve/2024-06-18/1.jsonl", "notes/tasks/stream.json", "driver.log"]
)
def test_a_link_in_a_home_is_no_door(lab: Lab, fresh: Made, tmp_path: Path, place: str) -> None:
    """Whoever can write into a home gets nothing shown that the api-server can read elsewhere."""
    secret = tmp_path / "secret"
    secret.write_text(json.dumps({"dag_id": "their_secret", "task_id": "task"}))
    door = fresh.home.path / place
    door.parent.mkdir(parents=True, exist_ok=True)
    door.unlink(missing_ok=True)
    door.symlink_to(secret)
    client = Lab.over(fresh.home.path.parent).client()
    one = f"/nrt/api/reports/{home_id(fresh.home.path)}"
    answers = [client.get(f"{one}/{part}") for part in ("", "log", "curve?day=2024-06-18", "timeline")]
    assert all("their_secret" not in answer.text for answer in answers)
    assert {answer.status_code for answer in answers} <= {200, 307, 409}
