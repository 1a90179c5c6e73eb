"""Every route asks for a user, and a home is seen and acted on through the permissions on its DAG."""

from __future__ import annotations

import pytest

from airflow_nrt.home.ids import home_id
from airflow_nrt.page.app import router
from tests.page.lab import SAME_ORIGIN, Lab
from tests.page.made_homes import Made

ROUTES = sorted((method, route.path) for route in router.routes for method in route.methods)  # type: ignore[attr-defined]
OF_A_REPORT = ("", "/curve", "/timeline", "/windows", "/log")


def visible(lab: Lab, role: str, *teams: str) -> set[str]:
    answer = lab.client(role, teams).get("/nrt/api/reports").json()
    return {one["name"] for one in answer["reports"]}


def id_of(homes: dict[str, Made], name: str) -> str:
    return home_id(homes[name].home.path)


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=str)
def test_nobody_gets_anything_without_a_user(lab: Lab, homes: dict[str, Made], method: str, path: str) -> None:
    known = {"report_id": id_of(homes, "curve"), "insert": "orders_curve", "end": "2024-06-18T10:00:00"}
    place = "/nrt" + path.replace(":path", "").format(**known, name="index.html", action="verify")
    answer = lab.client(None).request(method, place, headers=SAME_ORIGIN, json={})
    assert answer.status_code == 401
    assert answer.json() == {"detail": "Not authenticated"}


def test_a_wrong_token_is_nobody_s(lab: Lab) -> None:
    client = lab.client(None)
    client.cookies.set("_token", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiIsInJvbGUiOiJhZG1pbiJ9.")
    assert client.get("/nrt/api/reports").status_code == 403


def test_homes_are_seen_by_those_who_see_their_dag(lab: Lab) -> None:
    assert visible(lab, "viewer") == {"curve"}
    assert visible(lab, "viewer", "theirs") == {"curve", "theirs"}
    assert visible(lab, "user", "others") == {"curve"}


def test_homes_without_a_dag_that_airflow_knows_are_the_administrators(lab: Lab) -> None:
    assert visible(lab, "op") == {"curve", "gone", "bare"}
    assert visible(lab, "admin") == {"curve", "gone", "bare", "theirs"}


@pytest.mark.parametrize("part", OF_A_REPORT)
def test_another_team_s_report_is_not_told_from_none(lab: Lab, homes: dict[str, Made], part: str) -> None:
    client = lab.client("user", ["others"])
    theirs, none = (client.get(f"/nrt/api/reports/{one}{part}") for one in (id_of(homes, "theirs"), "0" * 32))
    assert (theirs.status_code, theirs.content) == (none.status_code, none.content)
    assert theirs.status_code == 404
    assert lab.client("user", ["theirs"]).get(f"/nrt/api/reports/{id_of(homes, 'theirs')}{part}").status_code == 200


@pytest.mark.parametrize("action", ["stop", "verify", "backfill", "repair"])
def test_who_only_looks_changes_nothing(lab: Lab, homes: dict[str, Made], action: str) -> None:
    bounds = {"start": "2024-06-18T00:00:00", "end": "2024-06-19T00:00:00"}
    place = f"/nrt/api/reports/{id_of(homes, 'curve')}/{action}"
    answer = lab.client("viewer").post(place, headers=SAME_ORIGIN, json=bounds)
    assert (answer.status_code, "may not change" in answer.text) == (403, True)
    assert not homes["curve"].home.stop_file.exists()
    told = lab.client("viewer").get(f"/nrt/api/reports/{id_of(homes, 'curve')}").json()
    assert not told["can_act"] and not any(one["enabled"] for one in told["actions"])


def test_a_home_that_can_be_read_again_is_seen_again(lab: Lab, fresh: Made) -> None:
    """An error that passes, or a home that was open to others."""
    own = Lab.over(fresh.home.path.parent)
    seen = visible(own, "viewer")
    assert len(seen) == 1
    fresh.home.path.chmod(0o777)
    assert visible(own, "viewer") == set()
    fresh.home.path.chmod(0o700)
    assert visible(own, "viewer") == seen
