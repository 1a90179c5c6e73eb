"""The reference of operators, sensor and connection: from docstrings, signatures and the provider's metadata.

A docstring has prose, then `:param NAME: text` of the parameters that its class adds, `:xcom KEY: text`, and
`:rendered NAME: text` of template fields that are no parameters.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tables import table

from airflow_nrt.get_provider_info import get_provider_info

_FIELD = re.compile(r"^:(param|xcom|rendered) (\w+): ?(.*(?:\n(?!:).*)*)", re.MULTILINE)
_TEMPLATED = "(templated) "


@dataclass(frozen=True)
class Parameter:
    """One argument of an operator. `default` is as it is written in code, empty where the argument must be given."""

    name: str
    type: str
    default: str
    templated: bool
    text: str


def imported(path: str) -> Any:
    """The object `package.module.NAME`."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def fields(owner: type, kind: str) -> dict[str, str]:
    """The texts of the fields `:kind NAME:` in the docstring of a class, not of its bases."""
    found = _FIELD.findall(inspect.cleandoc(owner.__dict__.get("__doc__") or ""))
    return {name: " ".join(text.split()) for field, name, text in found if field == kind}


def ours(owner: type) -> Iterator[type]:
    """The class and those of its bases that are not Airflow's, nearest first."""
    return (base for base in owner.__mro__ if base.__module__.startswith("airflow_nrt."))


def parameters(owner: type) -> list[Parameter]:
    """All parameters that are not Airflow's own: those that the class adds, then those of its bases."""
    templates = set(getattr(owner, "template_fields", ()))
    found: dict[str, Parameter] = {}
    for base in ours(owner):
        texts = fields(base, "param")
        for name, given in _signature(base):
            text = texts.get(name, "").removeprefix(_TEMPLATED)
            found.setdefault(name, Parameter(name, _type(given), _default(given), name in templates, text))
    return list(found.values())


def _signature(owner: type) -> Iterator[tuple[str, inspect.Parameter]]:
    """What the `__init__` of this very class takes by name."""
    if "__init__" not in owner.__dict__:
        return
    for name, given in inspect.signature(owner.__dict__["__init__"]).parameters.items():
        if name != "self" and given.kind in (given.POSITIONAL_OR_KEYWORD, given.KEYWORD_ONLY):
            yield name, given


def _type(given: inspect.Parameter) -> str:
    return str(given.annotation)


def _default(given: inspect.Parameter) -> str:
    return "" if given.default is given.empty else repr(given.default)


def operator_page(owner: type) -> str:
    """The section of an operator or sensor: how to import it, what it does, its parameters and its XComs."""
    prose = _FIELD.split(inspect.getdoc(owner) or "")[0].strip()
    lines = [
        f"## {owner.__name__}",
        f"```python\nfrom {owner.__module__} import {owner.__name__}\n```",
        prose,
        table(("parameter", "type", "default", ""), map(_row, parameters(owner))),
    ]
    for kind, head in (("xcom", "XCom"), ("rendered", "rendered template")):
        found = {name: text for base in reversed([*ours(owner)]) for name, text in fields(base, kind).items()}
        if found:
            lines.append(table((head, ""), ((f"`{name}`", text) for name, text in found.items())))
    links = [f"*{link.name}*" for link in getattr(owner, "operator_extra_links", ())]
    if links:
        lines.append(f"Links of the task: {', '.join(links)}.")
    return "\n\n".join(lines)


def _row(one: Parameter) -> tuple[str, ...]:
    default = f"`{one.default}`" if one.default else "*required*"
    return f"`{one.name}`", f"`{one.type}`", default, f"{'*templated:* ' if one.templated else ''}{one.text}"


def connection_fields() -> str:
    """The fields of the connection's form, and their names in its extra."""
    (connection,) = get_provider_info()["connection-types"]
    rows = ((f"`{name}`", one["label"], one["description"]) for name, one in connection["conn-fields"].items())
    return table(("extra", "field of the form", ""), rows)
