"""Entries as earlier versions wrote them: a step for each format, to what the next one would have written."""

from __future__ import annotations

from airflow_nrt.files.formats import Content


def _with_formats(entry: Content) -> Content:
    """Format 1 had no formats of state and ledgers, and no fields that an early version did not know."""
    if entry["kind"] not in ("commit", "tick"):
        return entry
    known: Content = {"updating": {}, "moments": {}, "versions": {}, "tables": {}}
    position = {**known, **entry["position"]}
    operators = {name: {"complete": None, **_of_format_1(one)} for name, one in position["operators"].items()}
    states = {
        name: {key: [_of_format_1(file) for file in files] for key, files in position[name].items()}
        for name in ("updating", "tables")
    }
    versions = {name: _of_format_1(one) for name, one in position["versions"].items()}
    position = {**position, **states, "operators": operators, "versions": versions}
    ledger: Content = {"ledger_format": 1} if entry["kind"] == "commit" else {}
    return {"removed": [], **entry, "position": position, **ledger}


def _of_format_1(data: Content) -> Content:
    """A file of state, or a collection of them."""
    if "path" in data:
        return {**data, "format": 1}
    listed = {name: data[name] for name in ("rows", "closed", "shown") if isinstance(data.get(name), list)}
    return {**data, **{name: [_of_format_1(file) for file in files] for name, files in listed.items()}}


def _with_row_semantics(entry: Content) -> Content:
    """Format 2 did not say how values were read."""
    first = {"row_semantics": 1}
    if entry["kind"] == "restate":
        return {**entry, **first}
    if "position" not in entry:
        return entry
    position = entry["position"]
    sources = {name: {**state, **first} for name, state in position["sources"].items()}
    return {**entry, "position": {**position, "sources": sources}}


def _with_policies(entry: Content) -> Content:
    """Format 3 had leases without input policies."""
    return {**entry, "input_policies": None} if entry["kind"] == "lease" else entry


def _as_in_format_4(entry: Content) -> Content:
    """Format 4 had all entries of a log in files of their own, or in chapters: its drivers knew neither volumes nor a
    floor, so they must not go on where these may come."""
    return entry


def _as_in_format_5(entry: Content) -> Content:
    """Format 5 named the directories of its files, and not the files."""
    return entry


def _as_in_format_6(entry: Content) -> Content:
    """Format 6 had logs that nobody could leave: its drivers must not go on where another generation counts."""
    return entry


KNOW_A_FLOOR = 5
"""The first format of entries whose drivers know of volumes and of a floor."""
STEPS = (_with_formats, _with_row_semantics, _with_policies, _as_in_format_4, _as_in_format_5, _as_in_format_6)
