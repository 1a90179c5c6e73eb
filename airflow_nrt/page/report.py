"""The facts at the top of the page of a report: what it publishes, on which days, from which script."""

from __future__ import annotations

from typing import Any

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.texts import shortened
from airflow_nrt.describe.script_secrets import without_secrets
from airflow_nrt.home.identity.identity import Identity
from airflow_nrt.home.notes.sampling import Sampling
from airflow_nrt.home.outline import InsertOutline
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.state import State
from airflow_nrt.page.times import day_text, instant_text

MOST_SQL = 100_000
MOST_DAYS = 62
_FILLED = "-- not shown: the earlier version that made this home kept the script with all values, secrets among them"


def described(reader: Reader, state: State) -> dict[str, Any]:
    """Nothing but the home's own words where it can't be read. Raises HomeError if its log can't be."""
    if state.kept is None:
        return {"inserts": [], "days": [], "today": None, "sql": "", "sql_cut": False, **_driver(state)}
    identity, facts = state.kept.identity, reader.facts()
    # Copies, because the facts grow meanwhile.
    days = {(end - 1) // DAY for windows in list(facts.windows.values()) for end in list(windows)}
    script = _script(identity)
    return {
        "inserts": [_insert(one) for one in reader.inserts()],
        "days": [day_text(number * DAY) for number in sorted(days, reverse=True)[:MOST_DAYS]],
        "today": day_text(state.clock),
        "sql": shortened(script, MOST_SQL),
        "sql_cut": len(script) > MOST_SQL,
        **_driver(state),
        "version": shortened(identity.version, 50),
    }


def _script(identity: Identity) -> str:
    if identity.script:
        return without_secrets(identity.script) if identity.masks.salt else _FILLED
    return f"-- the program {identity.program}" if identity.program else ""


def _insert(one: InsertOutline) -> dict[str, Any]:
    window, sampling = one.window, Sampling.of(one)
    return {
        "name": shortened(one.name, 200),
        "format": shortened(one.format, 50),
        "keys": [shortened(name, 200) for name in sampling.keys],
        "measures": [shortened(name, 200) for name in sampling.measures],
        "window": None if window is None else {"text": window.text, "step_minutes": window.stride / 60_000},
        "sample": {"on": bool(sampling.top), "top": sampling.top},
    }


def _driver(state: State) -> dict[str, Any]:
    beat = state.beat
    if beat is None:
        return {"host": None, "pid": None, "started": None, "application": None, "version": None}
    known = {"host": beat.host, "pid": beat.pid, "started": instant_text(beat.started)}
    return {**known, "application": beat.application, "version": None}
