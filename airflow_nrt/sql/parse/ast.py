"""The syntax tree: one frozen dataclass for each construct, with its place in the script."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place

# ---------------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True)
class Name:
    """`a`, `t.a`, `row.field`. A planner's name of a column has the text of what the report wrote."""

    parts: tuple[str, ...]
    at: Place = field(compare=False)
    written: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Star:
    """`*` or `t.*`, `without` columns that the report does not name."""

    table: str | None
    at: Place = field(compare=False)
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Literal:
    """`kind`: number, string, bytes, boolean, null, DATE, TIME, TIMESTAMP."""

    kind: str
    text: str
    at: Place = field(compare=False)

    @property
    def whole(self) -> int | None:
        """The whole number that it is, without a sign. None for any other literal."""
        return int(self.text) if self.kind == "number" and self.text.isdigit() else None

    @property
    def is_true(self) -> bool:
        return self.kind == "boolean" and self.text.upper() == "TRUE"


@dataclass(frozen=True)
class Interval:
    """`INTERVAL '1 02' DAY TO HOUR`. `precision` is that of the first unit, if given."""

    text: str
    unit: str
    to_unit: str | None
    precision: int | None
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Difference:
    """`(end - start) DAY TO SECOND`: what is between two times, as an interval."""

    end: Expression
    start: Expression
    unit: str
    to_unit: str | None
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Unary:
    operator: str
    operand: Expression
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Binary:
    operator: str
    left: Expression
    right: Expression
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Between:
    operand: Expression
    low: Expression
    high: Expression
    negated: bool
    at: Place = field(compare=False)


@dataclass(frozen=True)
class In:
    """`x IN (a, b)` or `x IN (SELECT …)`."""

    operand: Expression
    values: tuple[Expression, ...]
    query: Query | None
    negated: bool
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Is:
    """`x IS [NOT] NULL | TRUE | FALSE | UNKNOWN`."""

    operand: Expression
    what: str
    negated: bool
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Like:
    """`x LIKE y`, or `x SIMILAR TO y` with `similar`."""

    operand: Expression
    pattern: Expression
    escape: Expression | None
    negated: bool
    at: Place = field(compare=False)
    similar: bool = False


@dataclass(frozen=True)
class Case:
    operand: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    default: Expression | None
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Cast:
    operand: Expression
    type: DataType
    fails: bool
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Keyword:
    """A keyword as an argument: the unit of `EXTRACT(DAY FROM ts)`."""

    text: str
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Bound:
    """One end of a frame: `value` rows or an interval before the current row, or after it if `following`.

    None is UNBOUNDED. `CURRENT ROW` is `following` with the number 0.
    """

    value: Expression | None
    following: bool

    @property
    def is_current_row(self) -> bool:
        return self.following and isinstance(self.value, Literal) and self.value.text == "0"


@dataclass(frozen=True)
class Frame:
    """`ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`. `unit` is ROWS or RANGE, `text` the text of the report."""

    unit: str
    low: Bound
    high: Bound
    text: str
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Over:
    """The definition after OVER or in WINDOW. `name` is the window of the WINDOW clause that it refers to.

    With `growing`, the last partition key only grows with time among rows that are equal in the other keys. With `idle`
    the rows of a key begin anew after so many milliseconds without one.
    """

    partition: tuple[Expression, ...]
    order: tuple[OrderItem, ...]
    frame: Frame | None
    name: str | None
    at: Place = field(compare=False)
    growing: bool = False
    idle: int | None = None


@dataclass(frozen=True)
class Call:
    """A function call. `name` is upper case; `over`, `filter` and `distinct` only make sense for aggregates."""

    name: str
    arguments: tuple[Expression, ...]
    at: Place = field(compare=False)
    distinct: bool = False
    filter: Expression | None = None
    over: Over | None = None
    within: tuple[OrderItem, ...] = ()


@dataclass(frozen=True)
class Uuid:
    """`UUID()` under the name of this call, which no other call of the report has."""

    name: str
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Index:
    operand: Expression
    index: Expression
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Dot:
    """A field of a row that is not a column: `rows[1].name`."""

    operand: Expression
    name: str
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Quantified:
    """`x > ALL (SELECT …)`, or `x > ANY (SELECT …)` if it is not for `all`."""

    operand: Expression
    operator: str
    all: bool
    query: Query
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Exists:
    query: Query
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Scalar:
    """A query in parentheses as a value."""

    query: Query
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Named:
    """A named argument: `SIZE => INTERVAL '1' DAY`."""

    name: str
    value: Expression
    at: Place = field(compare=False)


@dataclass(frozen=True)
class TableArgument:
    """`TABLE orders [PARTITION BY …]` or a subquery as an argument of a windowing function."""

    relation: Relation
    partition: tuple[Expression, ...]
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Descriptor:
    columns: tuple[Name, ...]
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Absent:
    """A group key in a grouping set that lacks it: NULL of its type."""

    operand: Expression
    at: Place = field(compare=False)


Expression = Union[
    Name, Star, Literal, Interval, Difference, Unary, Binary, Between, In, Is, Like, Case, Cast, Keyword, Call, Index,
    Dot, Quantified, Exists, Scalar, Named, TableArgument, Descriptor, Absent, Uuid,
]  # fmt: skip


@dataclass(frozen=True)
class OrderItem:
    expression: Expression
    descending: bool
    nulls_first: bool | None


# ---------------------------------------------------------------------------------------------------- relations


@dataclass(frozen=True)
class TableName:
    name: str
    at: Place = field(compare=False)
    alias: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TableVersion:
    """`name FOR SYSTEM_TIME AS OF time`: the right side of a join. `at` is the place of FOR."""

    name: str
    time: Expression
    at: Place = field(compare=False)
    alias: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Derived:
    query: Query
    at: Place = field(compare=False)
    alias: str | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class FunctionTable:
    """`TABLE(f(…))` or `f(…)` in FROM."""

    call: Call
    at: Place = field(compare=False)
    alias: str | None = None


@dataclass(frozen=True)
class Lateral:
    """The right side of a join that reads the left one: `LATERAL TABLE(f(…))`, or the array of an `UNNEST(…)`.

    It is `numbered` with WITH ORDINALITY.
    """

    expression: Expression
    of_function: bool
    at: Place = field(compare=False)
    alias: str | None = None
    columns: tuple[str, ...] = ()
    numbered: bool = False


@dataclass(frozen=True)
class Join:
    """A join. A `natural` one is USING all columns that both sides have."""

    kind: str
    left: Relation
    right: Relation
    condition: Expression | None
    using: tuple[str, ...]
    at: Place = field(compare=False)
    natural: bool = False


Relation = Union[TableName, TableVersion, Derived, FunctionTable, Lateral, Join]


# ---------------------------------------------------------------------------------------------------- queries


@dataclass(frozen=True)
class SelectItem:
    expression: Expression
    alias: str | None


@dataclass(frozen=True)
class Grouping:
    """One element of GROUP BY: `kind` is `key`, `GROUPING SETS`, `CUBE` or `ROLLUP`."""

    kind: str
    sets: tuple[tuple[Expression, ...], ...]
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Select:
    """`hints` are those without an effect, each with the reason."""

    items: tuple[SelectItem, ...]
    relation: Relation | None
    at: Place = field(compare=False)
    distinct: bool = False
    where: Expression | None = None
    group: tuple[Grouping, ...] | None = None
    having: Expression | None = None
    windows: tuple[tuple[str, Over], ...] = ()
    order: tuple[OrderItem, ...] = ()
    limit: Expression | None = None
    ctes: tuple[tuple[str, tuple[str, ...], Query], ...] = ()
    offset: Expression | None = None
    hints: tuple[tuple[str, str], ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class SetOperation:
    """UNION, INTERSECT or EXCEPT. `written` is the operation in the report, if this one was rewritten from it."""

    operator: str
    all: bool
    left: Query
    right: Query
    at: Place = field(compare=False)
    order: tuple[OrderItem, ...] = ()
    limit: Expression | None = None
    ctes: tuple[tuple[str, tuple[str, ...], Query], ...] = ()
    offset: Expression | None = None
    written: str | None = field(default=None, compare=False)

    @property
    def words(self) -> str:
        """The operation as the report writes it."""
        return self.written or f"{self.operator}{' ALL' if self.all else ''}"


@dataclass(frozen=True)
class Values:
    rows: tuple[tuple[Expression, ...], ...]
    at: Place = field(compare=False)


Query = Union[Select, SetOperation, Values]
