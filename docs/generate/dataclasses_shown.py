"""The reference of what files and JSON hold: the fields of frozen dataclasses, with what their docstrings say."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

from tables import table

from airflow_nrt.report.entries import Commit, Lease, Published, Restate, SourceFile, Tick


def shown_dataclass(kind: type[Any]) -> str:
    """The docstring of a dataclass, and its fields with their types."""
    rows = ((f"`{one.name}`", f"`{one.type}`") for one in fields(kind))
    return f"{inspect.getdoc(kind)}\n\n{table(('field', 'type'), rows)}"


def shown_entries() -> str:
    """The kinds of entries of the log, and what they hold."""
    kinds = (Lease, Commit, Tick, Restate, SourceFile, Published)
    return "\n\n".join(f"### {kind.__name__}\n\n{shown_dataclass(kind)}" for kind in kinds)
