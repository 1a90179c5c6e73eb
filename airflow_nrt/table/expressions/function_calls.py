"""Calls of functions of the program: they get a name as soon as a table takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from airflow_nrt.functions import Declared
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import Expression
from airflow_nrt.table.expressions.literals import node_of


@dataclass(frozen=True)
class FunctionCall(ast.Call):
    """A call whose `name` is not set yet."""

    declared: Declared | None = None


class CallableFunction(Declared):
    """A decorated function: a call with expressions is an expression."""

    def __call__(self, *arguments: Any) -> Expression:
        return Expression(FunctionCall("", tuple(node_of(one) for one in arguments), here(), declared=self))


def named(call: FunctionCall, name: str) -> ast.Call:
    """The call in SQL."""
    return ast.Call(name, call.arguments, call.at, call.distinct, call.filter, call.over, call.within)
