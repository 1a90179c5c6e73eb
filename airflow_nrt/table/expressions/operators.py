"""What Python's operators make of expressions, and what of Python can't ask them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.places import here
from airflow_nrt.table.checks.wrong import NotPython
from airflow_nrt.table.expressions.literals import node_of

if TYPE_CHECKING:
    from airflow_nrt.table.expressions.expression import Expression


class Operators:
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
        raise NotPython(f"({self!r}) is an expression already: leave out the parentheses behind it", here())

    def __contains__(self, value: object) -> NoReturn:
        raise NotPython("Python's in can't ask an expression: write col('a').in_(1, 2)", here())

    def __getitem__(self, index: object) -> NoReturn:
        raise NotPython("an element of an array or a map is .at(1), a field of a row is .get('name')", here())

    def __add__(self, other: Any) -> Expression:
        return _binary("+", self, other)

    def __radd__(self, other: Any) -> Expression:
        return _binary("+", other, self)

    def __sub__(self, other: Any) -> Expression:
        return _binary("-", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return _binary("-", other, self)

    def __mul__(self, other: Any) -> Expression:
        return _binary("*", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _binary("*", other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _binary("/", other, self)

    def __mod__(self, other: Any) -> Expression:
        return _binary("%", self, other)

    def __rmod__(self, other: Any) -> Expression:
        return _binary("%", other, self)

    def __pow__(self, other: Any) -> Expression:
        return _power(self, other)

    def __rpow__(self, other: Any) -> Expression:
        return _power(other, self)

    def __neg__(self) -> Expression:
        return _unary("-", self)

    def __invert__(self) -> Expression:
        return _unary("NOT", self)

    def __and__(self, other: Any) -> Expression:
        return _binary("AND", self, other)

    def __rand__(self, other: Any) -> Expression:
        return _binary("AND", other, self)

    def __or__(self, other: Any) -> Expression:
        return _binary("OR", self, other)

    def __ror__(self, other: Any) -> Expression:
        return _binary("OR", other, self)

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return _compared("=", self, other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return _compared("<>", self, other)

    def __lt__(self, other: Any) -> Expression:
        return _compared("<", self, other)

    def __le__(self, other: Any) -> Expression:
        return _compared("<=", self, other)

    def __gt__(self, other: Any) -> Expression:
        return _compared(">", self, other)

    def __ge__(self, other: Any) -> Expression:
        return _compared(">=", self, other)

    __hash__ = None  # type: ignore[assignment]


def _binary(operator: str, left: Any, right: Any) -> Expression:
    from airflow_nrt.table.expressions.expression import Expression

    return Expression(ast.Binary(operator, node_of(left), node_of(right), here()))


def _compared(operator: str, left: Any, right: object) -> Expression:
    if right is None:
        test = ".is_not_null" if operator == "<>" else ".is_null"
        raise SqlError(f"nothing is equal to None, less or greater: write ({left!r}){test}", here())
    return _binary(operator, left, right)


def _unary(operator: str, value: Any) -> Expression:
    from airflow_nrt.table.expressions.expression import Expression

    return Expression(ast.Unary(operator, node_of(value), here()))


def _power(base: Any, exponent: Any) -> Expression:
    from airflow_nrt.table.expressions.expression import call_of

    return call_of("POWER", base, exponent)
