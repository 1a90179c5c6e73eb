"""Python's operators on expressions, and errors for the ones that expressions can't have."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import NotPython
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.literals import node_of
from airflow_nrt.table.meaning import MeansExpression

E = TypeVar("E", bound="Operators")


class Operators(MeansExpression):
    """They make expressions: `&`, `|` and `~` for SQL's AND, OR and NOT."""

    def __bool__(self) -> NoReturn:
        raise SqlError(
            f"({self!r}) has no truth yet, so that `and`, `or`, `not` and `if` can't ask for it: write & for AND, "
            "| for OR and ~ for NOT, each side in parentheses",
            here(),
        )

    def __iter__(self) -> NoReturn:
        raise NotPython("an expression is one value: there is nothing in it to go through", here())

    def __call__(self, *arguments: object) -> NoReturn:
        raise NotPython(f"({self!r}) is an expression already: leave out the parentheses after it", here())

    def __contains__(self, value: object) -> NoReturn:
        raise NotPython("Python's in can't ask an expression: write col('a').in_(1, 2)", here())

    def __getitem__(self, index: object) -> NoReturn:
        raise NotPython("an element of an array or a map is .at(1), a field of a row is .get('name')", here())

    def __add__(self: E, other: Any) -> E:
        return self._binary("+", self, other)

    def __radd__(self: E, other: Any) -> E:
        return self._binary("+", other, self)

    def __sub__(self: E, other: Any) -> E:
        return self._binary("-", self, other)

    def __rsub__(self: E, other: Any) -> E:
        return self._binary("-", other, self)

    def __mul__(self: E, other: Any) -> E:
        return self._binary("*", self, other)

    def __rmul__(self: E, other: Any) -> E:
        return self._binary("*", other, self)

    def __truediv__(self: E, other: Any) -> E:
        return self._binary("/", self, other)

    def __rtruediv__(self: E, other: Any) -> E:
        return self._binary("/", other, self)

    def __mod__(self: E, other: Any) -> E:
        return self._binary("%", self, other)

    def __rmod__(self: E, other: Any) -> E:
        return self._binary("%", other, self)

    def __pow__(self: E, other: Any) -> E:
        return self._power(self, other)

    def __rpow__(self: E, other: Any) -> E:
        return self._power(other, self)

    def __neg__(self: E) -> E:
        return self._unary("-")

    def __invert__(self: E) -> E:
        return self._unary("NOT")

    def __and__(self: E, other: Any) -> E:
        return self._binary("AND", self, other)

    def __rand__(self: E, other: Any) -> E:
        return self._binary("AND", other, self)

    def __or__(self: E, other: Any) -> E:
        return self._binary("OR", self, other)

    def __ror__(self: E, other: Any) -> E:
        return self._binary("OR", other, self)

    def __eq__(self: E, other: object) -> E:  # type: ignore[override]
        return self._compared("=", other)

    def __ne__(self: E, other: object) -> E:  # type: ignore[override]
        return self._compared("<>", other)

    def __lt__(self: E, other: Any) -> E:
        return self._compared("<", other)

    def __le__(self: E, other: Any) -> E:
        return self._compared("<=", other)

    def __gt__(self: E, other: Any) -> E:
        return self._compared(">", other)

    def __ge__(self: E, other: Any) -> E:
        return self._compared(">=", other)

    __hash__ = None  # type: ignore[assignment]

    def _binary(self: E, operator: str, left: Any, right: Any) -> E:
        return type(self)(ast.Binary(operator, node_of(left), node_of(right), here()))

    def _compared(self: E, operator: str, right: object) -> E:
        if right is None:
            test = ".is_not_null" if operator == "<>" else ".is_null"
            raise SqlError(f"nothing is equal to None, less or greater: write ({self!r}){test}", here())
        return self._binary(operator, self, right)

    def _unary(self: E, operator: str) -> E:
        return type(self)(ast.Unary(operator, self.node, here()))

    def _power(self: E, base: Any, exponent: Any) -> E:
        return type(self)(ast.Call("POWER", (node_of(base), node_of(exponent)), here()))
