"""Parameters of an operator: a literal is checked when the DAG is parsed, a template when the task runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airflow_nrt.basics.errors import InputError

Check = Callable[[str], object]
"""Raises ValueError or InputError."""


def check_literal(name: str, value: Any, check: Check) -> None:
    """Raises InputError for a wrong value. Templates and results of other tasks are not known yet."""
    if isinstance(value, str) and not is_template(value):
        check_value(name, value, check)


def is_template(value: Any) -> bool:
    return isinstance(value, str) and ("{{" in value or "{%" in value)


def check_value(name: str, value: str | None, check: Check) -> None:
    """Raises InputError for a wrong value; None is accepted."""
    if value is None:
        return
    try:
        check(value)
    except (ValueError, InputError) as wrong:
        raise InputError(f"{name}: {wrong}") from None


def one_of(*known: str) -> Check:
    def check(value: str) -> None:
        if value not in known:
            raise ValueError(f"{value!r} is none of {', '.join(known)}")

    return check
