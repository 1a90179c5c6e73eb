"""The reference has every operator, parameter, template field, XCom, hook, trigger and notifier."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk import BaseOperator

import tests.airflow_home  # noqa: F401
from airflow_nrt.get_provider_info import get_provider_info
from tests.docs.pages import DOCS, ROOT

sys.path.insert(0, str(DOCS / "generate"))
from airflow_side import fields, ours, parameters

INFO = get_provider_info()
REFERENCE = "".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))


def public_classes(*kinds: str) -> list[type]:
    """The classes of the modules that the provider names, without those that others are built on."""
    modules = [importlib.import_module(name) for kind in kinds for one in INFO[kind] for name in one["python-modules"]]
    found = [
        one
        for module in modules
        for one in vars(module).values()
        if inspect.isclass(one)
        and one.__module__ == module.__name__
        and one.__name__.startswith("Nrt")
        and one.__name__ != "NrtSettings"
    ]
    return [one for one in found if not any(other is not one and issubclass(other, one) for other in found)]


OPERATORS, UNDER_THEM = public_classes("operators", "sensors"), public_classes("hooks", "triggers")


def shows(owner: type) -> bool:
    return f"<!-- generated: object {owner.__module__}.{owner.__name__} -->" in REFERENCE


@pytest.mark.parametrize("owner", OPERATORS, ids=lambda one: one.__name__)
def test_an_operator_has_its_section(owner: type) -> None:
    assert issubclass(owner, BaseOperator)
    assert shows(owner)


@pytest.mark.parametrize("owner", UNDER_THEM, ids=lambda one: one.__name__)
def test_a_hook_or_trigger_has_its_section(owner: type) -> None:
    assert shows(owner)


@pytest.mark.parametrize("path", INFO["notifications"])
def test_a_notifier_has_its_section(path: str) -> None:
    assert f"<!-- generated: object {path} -->" in REFERENCE


@pytest.mark.parametrize("owner", [*OPERATORS, *UNDER_THEM], ids=lambda one: one.__name__)
def test_every_parameter_says_what_it_means(owner: type) -> None:
    assert [one.name for one in parameters(owner) if not one.text] == []


@pytest.mark.parametrize("owner", OPERATORS, ids=lambda one: one.__name__)
def test_no_text_is_of_a_parameter_that_is_not_there(owner: type) -> None:
    said = {name for base in ours(owner) for name in fields(base, "param")}
    assert said <= {one.name for one in parameters(owner)}


@pytest.mark.parametrize("owner", OPERATORS, ids=lambda one: one.__name__)
def test_template_fields_are_parameters_that_say_so(owner: type) -> None:
    """In the docstring, too: that is what an editor shows."""
    said = {name: text for base in ours(owner) for name, text in fields(base, "param").items()}
    templated = {name for name, text in said.items() if text.startswith("(templated) ")}
    rendered = {name for base in ours(owner) for name in fields(base, "rendered")}
    assert templated | rendered == set(owner.template_fields)  # type: ignore[attr-defined]


@pytest.mark.parametrize("owner", OPERATORS, ids=lambda one: one.__name__)
def test_every_xcom_says_what_it_holds(owner: type) -> None:
    assert pushed_by(owner) <= {key for base in ours(owner) for key in fields(base, "xcom")}


def pushed_by(owner: type) -> set[str]:
    """The keys of XComs that the code of a class names, and that of its result if it has one."""
    keys = set()
    for base in ours(owner):
        tree = ast.parse(Path(inspect.getfile(base)).read_text(encoding="utf-8"))
        calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        named = [call for call in calls if getattr(call.func, "attr", "") == "xcom_push"]
        keys |= {word.value for call in named for word in strings_of(call)}
        execute = base.__dict__.get("execute")
        if execute is not None and inspect.signature(execute).return_annotation not in ("None", None):
            keys.add("return_value")
    return keys


def strings_of(call: ast.Call) -> list[Any]:
    """The key, given by its place or its name."""
    given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "key")]
    return [one for one in given if isinstance(one, ast.Constant)]


def test_errors_that_the_troubleshooting_page_names_are_in_the_code() -> None:
    """Of each message its longest part that does not differ from case to case."""
    page = (DOCS / "how-to" / "troubleshooting.md").read_text(encoding="utf-8")
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "airflow_nrt").rglob("*.py"))
    joined = re.sub(r"\"\s*\n\s*f?\"", "", code)
    messages = re.findall(r"^\| `(.+?)` \|", page, re.MULTILINE)
    assert len(messages) > 25
    fixed = {message: max(message.split("…"), key=len).strip(" :,") for message in messages}
    assert [message for message, part in fixed.items() if part not in joined] == []
