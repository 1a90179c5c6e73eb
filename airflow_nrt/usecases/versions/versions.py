"""Lists the versions that the windows of a home have had: who published each, when and why, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.fold.checkpoints import state_of
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.log.pins import Pin
from airflow_nrt.home.replaced.versions import WindowVersion, versions_of
from airflow_nrt.model.zones import parse_wall_clock
from airflow_nrt.usecases.requests.versions import ShownVersion, Versions, VersionsOfWindow, VersionsRequest


def versions(request: VersionsRequest) -> Versions:
    """Raises InputError for an insert or a window that was never published, HomeError."""
    home = Home.open(request.home, request.group)
    log = home.log()
    known = versions_of(home, past_results(log))
    found = known if request.window is None else windows_at(known, end_of(home, request.window), request.insert)
    wanted = {key: some for key, some in found.items() if request.insert in (None, key[0])}
    if request.insert is not None and not wanted:
        raise InputError(f"no window of an insert {request.insert!r} is published{_others({key[0] for key in known})}")
    listed = wanted if request.window is not None else {key: one for key, one in wanted.items() if len(one) > 1}
    pins = {(one.insert, one.end): one for one in state_of(log).pins}
    windows = tuple(_window(listed[key], pins.get(key)) for key in sorted(listed))
    return Versions(windows, len(wanted) - len(listed))


def end_of(home: Home, text: str) -> int:
    """The end of a window (ms). Raises InputError unless it is a time."""
    try:
        return parse_wall_clock(text, home.zone)
    except ValueError as wrong:
        raise InputError(f"--window: {wrong}") from None


def windows_at(
    known: Mapping[tuple[str, int], list[WindowVersion]], end: int, insert: str | None
) -> dict[tuple[str, int], list[WindowVersion]]:
    """The windows that end there. Raises InputError if none is published."""
    found = {key: some for key, some in known.items() if key[1] == end and insert in (None, key[0])}
    if not found:
        whose = "" if insert is None else f" of {insert}"
        raise InputError(f"no window{whose} that ends there was ever published: `airflow-nrt windows` lists them")
    return found


def _others(names: set[str]) -> str:
    return f": there are {', '.join(sorted(names))}" if names else ""


def _window(some: Sequence[WindowVersion], pin: Pin | None) -> VersionsOfWindow:
    last = some[-1]
    shown = tuple(_shown(one, pin if one is last else None) for one in some)
    return VersionsOfWindow(last.insert, last.start, last.end, shown)


def _shown(one: WindowVersion, pin: Pin | None) -> ShownVersion:
    cause = one.cause if one.undone_to is None else f"to version {one.undone_to}{': ' if one.cause else ''}{one.cause}"
    sums = None if one.sums is None else one.sums.sums
    set_by = None if pin is None else str(pin)
    return ShownVersion(one.version, one.at, one.why, publisher(one), cause, one.rows, sums, one.kept_until, set_by)


def publisher(one: WindowVersion) -> str:
    if one.by is not None:
        return str(one.by)
    return f"driver of epoch {one.epoch}" if one.epoch is not None else "unknown"
