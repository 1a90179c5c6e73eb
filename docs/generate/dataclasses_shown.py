"""The reference of what files and JSON hold: the fields of frozen dataclasses, with what their docstrings say."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from typing import Any

from tables import table, type_text

from airflow_nrt.home.log.entries import Commit, Fill, Lease, Left, Published, Restate, Tick
from airflow_nrt.home.log.splits import ArchivedElsewhere, SourceFile, SourceRange


def shown_dataclass(kind: type[Any]) -> str:
    """The docstrings of a dataclass and of those that it extends, and its fields and properties with their types."""
    known = [one for one in reversed(kind.__mro__) if is_dataclass(one)]
    rows = [(f"`{one.name}`", type_text(one.type)) for one in fields(kind)]
    for name, one in (pair for base in known for pair in vars(base).items()):
        if isinstance(one, property):
            rows.append((f"`{name}`", f"{type_text(inspect.signature(one.fget).return_annotation)}, computed"))
    return "\n\n".join([*(str(inspect.getdoc(one)) for one in known), table(("field", "type"), rows)])


def shown_entries() -> str:
    """The kinds of entries of the log, and what they hold."""
    kinds = (Lease, Commit, Tick, Restate, Fill, Left, SourceFile, SourceRange, ArchivedElsewhere, Published)
    return "\n\n".join(f"### {kind.__name__}\n\n{shown_dataclass(kind)}" for kind in kinds)
