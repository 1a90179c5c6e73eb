"""The routes of the page. Each asks for a user of Airflow, and answers only about homes that this user may see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from airflow.api_fastapi.core_api.security import GetUserDep, get_user
from fastapi import APIRouter, Body, Depends, FastAPI, HTTPException, Query, Request
from fastapi.responses import FileResponse, JSONResponse, Response

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.outline import InsertOutline
from airflow_nrt.page import actions
from airflow_nrt.page.access.guards import SafeHeaders, check_origin
from airflow_nrt.page.curve import MOST_KEYS, TOTAL, curve
from airflow_nrt.page.driver_log import driver_log
from airflow_nrt.page.homes.places import Root
from airflow_nrt.page.homes.roots import roots
from airflow_nrt.page.late_rows import late_counts
from airflow_nrt.page.one_window import find_window, one_window
from airflow_nrt.page.report import described
from airflow_nrt.page.shelf import Shelf, VisibleHome
from airflow_nrt.page.state import State, state_of
from airflow_nrt.page.timeline import timeline
from airflow_nrt.page.times import day_start, instant_text, parse_clock
from airflow_nrt.page.windows import MOST_LISTED, published_entries, windowed, windows_of
from airflow_nrt.usecases.requests.run_overrides import RunOverrides

STATIC = Path(__file__).parent / "static"
_MOST_LETTERS = 400
"""The most characters of a parameter."""
Text = Annotated[str | None, Query(max_length=_MOST_LETTERS)]

router = APIRouter(dependencies=[Depends(get_user)])


def build_app(where: Callable[[], Sequence[Root]] = roots) -> FastAPI:
    """The app over the homes below these roots."""
    app = FastAPI(title="Near-real-time reports", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.shelf = Shelf(where)
    app.add_middleware(SafeHeaders)
    app.include_router(router)
    app.add_exception_handler(HomeError, _conflict)
    app.add_exception_handler(actions.RefusedError, _conflict)
    return app


def _conflict(request: Request, wrong: Exception) -> Response:
    return JSONResponse({"detail": str(wrong)}, 409)


# ---------------------------------------------------------------------------------------------------- what is asked for


def _visible(report_id: str, request: Request, user: GetUserDep) -> VisibleHome:
    one = request.app.state.shelf.find(report_id, user)
    if one is None:
        raise HTTPException(404, "there is no such report, or you may not see it")
    found: VisibleHome = one
    return found


HomeDep = Annotated[VisibleHome, Depends(_visible)]


def _insert(home: VisibleHome, name: str | None) -> InsertOutline:
    inserts = windowed(home.reader.inserts())
    one = next((one for one in inserts if name in (None, one.name)), None)
    if one is None:
        raise HTTPException(404, "the report has no such insert with windows" if name else "the report has no windows")
    return one


def _day(text: str | None) -> int | None:
    try:
        return None if text is None else day_start(text)
    except ValueError as wrong:
        raise HTTPException(422, f"day: {wrong}") from None


def _newest_day(home: VisibleHome, insert: InsertOutline, state: State) -> int:
    """The day of the insert's newest window, else today (ms)."""
    newest = max(home.reader.facts().windows.get(insert.name, ()), default=None)
    return (state.clock if newest is None else newest - 1) // DAY * DAY


# ---------------------------------------------------------------------------------------------------- pages


@router.get("/")
def page() -> Response:
    return _file("index.html")


@router.get("/static/{name:path}")
def static(name: str) -> Response:
    return _file(name)


def _file(name: str) -> Response:
    """One of the static files: a name is looked up among theirs, and never becomes a path."""
    known = {path.relative_to(STATIC).as_posix(): path for path in STATIC.rglob("*") if path.is_file()}
    if name not in known:
        raise HTTPException(404, "there is no such file")
    return FileResponse(known[name], headers={"Cache-Control": "no-cache"})


# ---------------------------------------------------------------------------------------------------- reading


@router.get("/api/reports")
def reports(request: Request, user: GetUserDep, dag_id: Text = None) -> dict[str, Any]:
    """All reports that the user may see, or those that tasks of one DAG work on."""
    now = now_ms()
    homes, access, found = request.app.state.shelf.visible_to(user, now)
    if dag_id:
        homes = [one for one in homes if dag_id in one[0].dag_ids]
    named = Counter(one.reader.place.name for one, _ in homes)
    listed = [{**state.to_json(), **_task(one), **_whole_path(one, named)} for one, state in homes]
    listed.sort(key=lambda one: (str(one["name"]), str(one["home_label"])))
    problems = list(found.problems) if access.is_administrator else []
    return {"now": instant_text(now), "reports": listed, "truncated": found.truncated, "problems": problems}


def _whole_path(home: VisibleHome, named: Counter[str]) -> dict[str, Any]:
    """What tells a home from others of the same name, below other roots."""
    place = home.reader.place
    return {} if named[place.name] == 1 else {"home_label": shortened(str(place.path))}


def _task(home: VisibleHome) -> dict[str, Any]:
    task = home.tasks.get("stream")
    return {
        "dag_id": home.dag_id,
        "task_id": task.task_id if task is not None else None,
        "supervisors": [str(one) for one in home.supervisors] if len(home.supervisors) > 1 else [],
        "can_act": home.access.may_act(home.dag_id),
    }


@router.get("/api/reports/{report_id}")
def report(home: HomeDep) -> dict[str, Any]:
    state = state_of(home.reader)
    return {
        **state.to_json(),
        **_task(home),
        **described(home.reader, state),
        "actions": actions.actions(state, home.tasks, home.access),
    }


@router.get("/api/reports/{report_id}/curve")
def curve_of_day(
    home: HomeDep,
    insert: Text = None,
    measure: Text = None,
    day: Text = None,
    keys: Annotated[list[str], Query(max_length=MOST_KEYS)] = [TOTAL],  # noqa: B006 - FastAPI copies it
) -> dict[str, Any]:
    state, one = state_of(home.reader), _insert(home, insert)
    at, today = _day(day), state.clock // DAY * DAY
    try:
        return curve(home.reader, one, measure, _newest_day(home, one, state) if at is None else at, keys, today)
    except KeyError:
        raise HTTPException(404, "the samples of this insert have no such measure") from None


@router.get("/api/reports/{report_id}/timeline")
def timeline_of_day(home: HomeDep, day: Text = None) -> dict[str, Any]:
    return timeline(home.reader, state_of(home.reader), _day(day))


@router.get("/api/reports/{report_id}/windows")
def windows(
    home: HomeDep,
    insert: Text = None,
    day: Text = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 100,
) -> dict[str, Any]:
    one = _insert(home, insert)
    found = list(windows_of(home.reader, one.name, published_entries(home.reader), _day(day)))
    listed = found[offset : offset + limit]
    late = late_counts(home.reader, [window.end for window in listed])
    return {
        "total": len(found),
        "insert": one.name,
        "windows": [window.to_json(late[window.end]) for window in listed],
    }


@router.get("/api/reports/{report_id}/windows/{insert}/{end}")
def window(home: HomeDep, insert: str, end: str) -> dict[str, Any]:
    try:
        found = find_window(home.reader, _insert(home, insert).name, parse_clock(end))
    except ValueError as wrong:
        raise HTTPException(422, f"end: {wrong}") from None
    if found is None:
        raise HTTPException(404, "no such window is published")
    return one_window(home.reader, found)


@router.get("/api/reports/{report_id}/log")
def log_of_driver(home: HomeDep) -> dict[str, Any]:
    if not home.access.may_read_logs(home.dag_id):
        raise HTTPException(403, "you may not read the logs of the DAG that supervises this report")
    return driver_log(home.reader)


# ---------------------------------------------------------------------------------------------------- acting


@router.post("/api/reports/{report_id}/stop", dependencies=[Depends(check_origin)])
def stop(home: HomeDep) -> dict[str, Any]:
    _check_may_act(home)
    state = state_of(home.reader)
    message = actions.stop(home.reader.home, state)
    actions.note_in_audit_log("stop", home.dag_id, home.access.user.get_name(), state.name, RunOverrides())
    return {"message": message, "link": None}


@router.post("/api/reports/{report_id}/{action}", dependencies=[Depends(check_origin)])
def act(
    home: HomeDep, action: str, start: Annotated[str, Body(max_length=40)], end: Annotated[str, Body(max_length=40)]
) -> dict[str, Any]:
    batch = next((one for one in actions.BATCHES if one.name == action), None)
    if batch is None:
        raise HTTPException(404, "there is no such action")
    _check_may_act(home)
    try:
        asked = actions.windows(start, end)
    except (ValueError, InputError) as wrong:
        raise HTTPException(422, str(wrong)) from None
    task = batch.task(home.tasks)
    if not home.access.may_trigger(task.dag_id):
        raise HTTPException(403, f"you may not trigger the DAG {task.dag_id}")
    user = home.access.user.get_name()
    message, link = actions.trigger(batch, task, asked, user)
    actions.note_in_audit_log(action, task.dag_id, user, state_of(home.reader).name, asked)
    return {"message": message, "link": link}


def _check_may_act(home: VisibleHome) -> None:
    if not home.access.may_act(home.dag_id):
        raise HTTPException(403, "you may not change runs of the DAG that supervises this report")
