"""OVER among the rows of one window: shares, running sums, rankings and neighbours in any order.

A window is whole when it fires, so this is Spark's OVER on its rows, without state of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airflow_nrt.basics.types import BIGINT, DOUBLE, DataType
from airflow_nrt.model.aggregates import NEIGHBOURS
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.aggregates import canonical_name, has_aggregate
from airflow_nrt.sql.expressions.casts import cast_to
from airflow_nrt.sql.expressions.expressions import Compiler, Override
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.expressions.typed import Typed, common_type
from airflow_nrt.sql.logical.rank import RANKINGS
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import children
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.over_aggregates import aggregate_over
from airflow_nrt.sql.selects.top_n_and_deduplication import check_all_rows, order_of, ranked, ties

_STANDINGS = {"PERCENT_RANK": DOUBLE, "CUME_DIST": DOUBLE, "NTILE": BIGINT}
_ENDS = ("FIRST_VALUE", "LAST_VALUE")


def is_in_window(node: ast.Select, relation: Relation, alias: str | None) -> bool:
    """Whether each OVER of a SELECT stays in one window, and none is in the order of time."""
    calls = [call for item in node.items for call in _calls(item.expression) if call.name not in RANKINGS]
    windowed = not relation.is_changing and (relation.pending is not None or relation.window is not None)
    scope = Scope(relation.columns, alias)
    return windowed and bool(calls) and all(_stays(call.over, scope) for call in calls if call.over is not None)


def _calls(node: ast.Expression) -> Iterator[ast.Call]:
    if isinstance(node, ast.Call) and node.over is not None:
        yield node
    for child in children(node):
        yield from _calls(child)


def _stays(over: ast.Over, scope: Scope) -> bool:
    names = [key for key in over.partition if isinstance(key, ast.Name) and scope.has(key)]
    by_time = bool(over.order) and scope.is_time(over.order[0].expression)
    # A window is known by its end.
    return not by_time and any(scope.find(name).role == "end" for name in names)


def over_in_window(relation: Relation, compiler: Compiler) -> Override:
    """Compiles OVER over the rows of finished windows. The compiler is for what is inside of OVER."""

    def override(node: ast.Expression) -> Typed | None:
        if not isinstance(node, ast.Call) or node.over is None:
            return None
        if node.name in RANKINGS:
            return ranked(node, node.over, relation, compiler)
        return _Over.of(node, node.over, relation, compiler).value()

    return override


@dataclass(frozen=True)
class _Over:
    """A call and its OVER: `partition` and `order` in SQL, the order of rows that are `equal` in it, and what they
    read."""

    node: ast.Call
    frame: ast.Frame | None
    partition: str
    order: tuple[str, ...]
    equal: tuple[str, ...]
    read: tuple[Typed, ...]
    compiler: Compiler

    @classmethod
    def of(cls, node: ast.Call, over: ast.Over, relation: Relation, compiler: Compiler) -> _Over:
        check_all_rows(node)
        keys = [compiler.compile(key) for key in over.partition]
        order, read = order_of(over, compiler)
        equal = tuple(ties(over.order, compiler, relation))
        partition = ", ".join([WINDOW_END, *(key.sql for key in keys)])
        return cls(node, over.frame, partition, tuple(order), equal, (*keys, *read), compiler)

    def value(self) -> Typed:
        name = canonical_name(self.node.name)
        if name in _STANDINGS:
            return self._standing(name)
        if name in NEIGHBOURS:
            return self._neighbour(name)
        if name in _ENDS:
            return self._end(name)
        if has_aggregate(name):
            return self._aggregate()
        raise NotThereYet(f"{self.node.name} … OVER in a window", self.node.at)

    def _standing(self, name: str) -> Typed:
        """Gives "CAST(ntile(4) OVER (PARTITION BY _nrt_end ORDER BY `spent` DESC NULLS LAST, …) AS BIGINT)"."""
        self._check_ordered()
        arguments = ""
        if name == "NTILE":
            (groups,) = self._arguments(1, 1)
            number = groups.whole if isinstance(groups, ast.Literal) else None
            if not number:
                raise SqlError(f"NTILE wants a whole number of groups above 0, not {text_of(groups)}", groups.at)
            arguments = str(number)
        else:
            self._arguments(0, 0)
        # Rows of one rank have one share, and may be in two groups.
        order = (*self.order, *(self.equal if name == "NTILE" else ()))
        kind = _STANDINGS[name].with_nullable(False)
        return self._typed(f"CAST({name.lower()}({arguments}) OVER {self._window(order)} AS {kind.spark})", kind)

    def _neighbour(self, name: str) -> Typed:
        """Gives "lag(`revenue`, 1, CAST(0 AS DECIMAL(38,2))) OVER (PARTITION BY _nrt_end ORDER BY …)"."""
        self._check_ordered()
        operand, *more = self._arguments(1, 3)
        value = self.compiler.compile(operand)
        away = more[0].whole if more and isinstance(more[0], ast.Literal) else None if more else 1
        if away is None:
            raise SqlError(f"a whole number of rows is needed, not {text_of(more[0])}", more[0].at)
        default = self.compiler.compile(more[1]) if len(more) > 1 else None
        kind, arguments = value.type.with_nullable(True), f"{value.sql}, {away}"
        if default is not None:
            common = common_type([value.type, default.type])
            if common is None:
                raise SqlError(f"{name}: {default.type.flink} is no {value.type.flink}: CAST it", more[1].at)
            with self.compiler.counting(self.node):
                kind, arguments = common, f"{cast_to(value, common)}, {away}, {cast_to(default, common)}"
        window = self._window((*self.order, *self.equal))
        return self._typed(f"{name.lower()}({arguments}) OVER {window}", kind, value, *([default] if default else []))

    def _end(self, name: str) -> Typed:
        """Gives "first_value(`item`, true) OVER (PARTITION BY _nrt_end ORDER BY … ROWS BETWEEN … AND CURRENT ROW)".

        Of rows that are equal in the order, those with a value come first.
        """
        if not self.order:
            raise SqlError(f"{name} needs an ORDER BY inside OVER", self.node.at)
        (operand,) = self._arguments(1, 1)
        value = self.compiler.compile(operand)
        frame, of_peers = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", self.frame is None
        if self.frame is not None:
            frame, of_peers = self.frame_sql(), self.frame.unit == "RANGE" and self.frame.high.is_current_row
            frame = frame.replace("RANGE", "ROWS", 1)
        if of_peers and name == "LAST_VALUE":
            raise NotThereYet(
                "LAST_VALUE up to rows that are equal to the current one",
                self.node.at,
                "write ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW, or AND UNBOUNDED FOLLOWING",
            )
        window = self._window((*self.order, f"{value.sql} IS NULL", *self.equal), frame)
        return self._typed(f"{name.lower()}({value.sql}, true) OVER {window}", value.type.with_nullable(True), value)

    def _aggregate(self) -> Typed:
        frame = self.frame_sql()
        order = (*self.order, *(self.equal if frame.startswith("ROWS") else ()))
        # Floating point numbers are added in one order, so that stream and batch have one sum.
        whole = self._window(self.equal, "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
        with self.compiler.counting(self.node):
            value = aggregate_over(self.node, self.compiler.compile, self._window(order, frame) if order else whole)
        return self._typed(value.sql, value.type, value)

    def frame_sql(self) -> str:
        """The frame in SQL; empty if there is none."""
        frame = self.frame
        if frame is None:
            return ""
        return f"{frame.unit} BETWEEN {self._bound(frame, frame.low)} AND {self._bound(frame, frame.high)}"

    def _bound(self, frame: ast.Frame, bound: ast.Bound) -> str:
        side = "FOLLOWING" if bound.following else "PRECEDING"
        if bound.value is None:
            return f"UNBOUNDED {side}"
        if bound.is_current_row:
            return "CURRENT ROW"
        number = bound.value.whole if isinstance(bound.value, ast.Literal) else None
        if number is None or frame.unit != "ROWS":
            raise NotThereYet("a frame of values in a window", frame.at, "count ROWS, or join the rows with themselves")
        return f"{number} {side}"

    def _window(self, order: Sequence[str], frame: str = "") -> str:
        by = f" ORDER BY {', '.join(order)}" if order else ""
        return f"(PARTITION BY {self.partition}{by}{f' {frame}' if frame else ''})"

    def _arguments(self, least: int, most: int) -> tuple[ast.Expression, ...]:
        count = len(self.node.arguments)
        if not least <= count <= most:
            wanted = f"{least} to {most} arguments" if least < most else f"{least} arguments" if least != 1 else "one"
            raise SqlError(f"{self.node.name} takes {wanted}, here are {count}", self.node.at)
        return self.node.arguments

    def _check_ordered(self) -> None:
        if not self.order:
            raise SqlError(f"{self.node.name} needs an ORDER BY inside OVER", self.node.at)
        if self.frame is not None:
            raise SqlError(f"{self.node.name} takes no frame", self.frame.at)

    def _typed(self, sql: str, kind: DataType, *values: Typed) -> Typed:
        return Typed(sql, kind, columns=frozenset().union(*(one.columns for one in (*self.read, *values))))
