"""The reference of what DAG files import, of triggers, hook and connection: from docstrings, signatures and the
provider's metadata.

A docstring has prose, `:param NAME: text` of the parameters that its class adds, `:xcom KEY: text`, and
`:rendered NAME: text` of template fields that are no parameters.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tables import table, type_text

from airflow_nrt.get_provider_info import get_provider_info

_FIELD = re.compile(r"^:(param|xcom|rendered) (\w+): ?(.*(?:\n(?!:|\n).*)*)\n*", re.MULTILINE)
_TEMPLATED = "(templated) "
_LONGEST_DEFAULT = 40


@dataclass(frozen=True)
class Parameter:
    """One argument. `default` is as it is written in code, empty where the argument must be given."""

    name: str
    type: str
    default: str
    templated: bool
    text: str


def imported(path: str) -> Any:
    """The object `package.module.NAME`."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def fields(owner: Any, kind: str) -> dict[str, str]:
    """The texts of the fields `:kind NAME:` in the docstring of a function, or of a class and not of its bases."""
    found = _FIELD.findall(inspect.cleandoc(owner.__doc__ or ""))
    return {name: " ".join(text.split()) for field, name, text in found if field == kind}


def ours(owner: Any) -> Iterator[Any]:
    """A function, or a class and those of its bases that are not Airflow's, nearest first."""
    return (base for base in getattr(owner, "__mro__", [owner]) if base.__module__.startswith("airflow_nrt."))


def parameters(owner: Any) -> list[Parameter]:
    """All parameters that are not Airflow's own: those that the class adds, then those of its bases."""
    templates = set(getattr(owner, "template_fields", ()))
    found: dict[str, Parameter] = {}
    for base in ours(owner):
        texts = fields(base, "param")
        for given in _signature(base):
            name, text = given.name, texts.get(given.name, "").removeprefix(_TEMPLATED)
            if given.kind is not given.VAR_KEYWORD:
                found.setdefault(name, Parameter(name, given.annotation, _default(given), name in templates, text))
            elif text:
                found.setdefault(name, Parameter(f"**{name}", given.annotation, "{}", False, text))
    return list(found.values())


def _signature(owner: Any) -> Iterator[inspect.Parameter]:
    """What a function takes by name, or the `__init__` of this very class."""
    function = owner.__dict__.get("__init__") if inspect.isclass(owner) else owner
    if function is not None:
        known = inspect.signature(function).parameters.values()
        yield from (given for given in known if given.name != "self" and given.kind is not given.VAR_POSITIONAL)


def _default(given: inspect.Parameter) -> str:
    shown = "" if given.default is given.empty else repr(given.default)
    return shown if len(shown) <= _LONGEST_DEFAULT else "…"


def described(owner: Any) -> str:
    """The section of a class or function: how to import it, what it does, its parameters, XComs and methods."""
    lines = [
        f"## {owner.__name__}",
        f"```python\nfrom {owner.__module__} import {owner.__name__}\n```",
        _FIELD.sub("", inspect.getdoc(owner) or "").strip(),
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
    return f"`{one.name}`", type_text(one.type), default, f"{'*templated:* ' if one.templated else ''}{one.text}"


def methods(owner: type) -> str:
    """The public methods that a class defines itself: how each is called, and what its docstring says."""
    known = ((name, one) for name, one in vars(owner).items() if inspect.isfunction(one) and name[0] != "_")
    return "\n\n".join(f"### {name}\n\n```python\n{_call(one)}\n```\n\n{inspect.getdoc(one)}" for name, one in known)


def _call(method: Any) -> str:
    signature = inspect.signature(method)
    given = [one for one in signature.parameters.values() if one.name != "self"]
    shown = (f"{one.name}: {one.annotation}{f' = {_default(one)}' if _default(one) else ''}" for one in given)
    return f"{method.__name__}({', '.join(shown)}) -> {signature.return_annotation}"


def connection_fields() -> str:
    """The fields of the connection's form, and their names in its extra."""
    (connection,) = get_provider_info()["connection-types"]
    known = connection["conn-fields"].items()
    rows = ((f"`{name}`", one["label"], one["description"].replace("*", "\\*")) for name, one in known)
    return table(("extra", "field of the form", ""), rows)
