"""OVER by time: each row with aggregates of the rows before it (FLIP-11 row windows, SQL's OVER)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import POSITION_TYPE, DataType, Field
from airflow_nrt.model.internal_columns import CLOCK_SQL, POSITION, WINDOW_END
from airflow_nrt.model.operators import AggregateCall, Query, RowFrame, WindowAggregate
from airflow_nrt.model.value_places import NO_PLACE
from airflow_nrt.model.windows import over
from airflow_nrt.model.written import Written
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.aggregate_arguments import Arguments, read_arguments
from airflow_nrt.sql.expressions.aggregates import canonical_name, has_aggregate, is_distinct, result_type
from airflow_nrt.sql.expressions.casts import cast_to
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.failing import Computed, counted_for, errors_are_null
from airflow_nrt.sql.expressions.intervals import interval_ms
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed, may_not_fit, surely_fits
from airflow_nrt.sql.kept_rows.buffered_rows import Reads, arrival_position
from airflow_nrt.sql.kept_rows.kept_rows import demanded_items, finished_for, reads_of
from airflow_nrt.sql.kept_rows.shared_rows import KEPT, share_rows
from airflow_nrt.sql.logical.over import Framed
from airflow_nrt.sql.logical.rank import RANKINGS
from airflow_nrt.sql.over.frame_join import Part, parts_of, put_together
from airflow_nrt.sql.over.periods import period_of
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import column_of_call, text_of
from airflow_nrt.sql.parse.walk import children, rewritten, unqualified
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings, Values
from airflow_nrt.sql.relations.relation import Relation, as_rows, timed_by_clock
from airflow_nrt.sql.selects.projection import expand
from airflow_nrt.sql.selects.top_n_and_deduplication import check_all_rows
from airflow_nrt.sql.updating.updating import missing_bounds

NEIGHBOURS = {"LAG": 1, "LEAD": -1}
"""The functions that read one other row: 1 if it is an earlier one, -1 if it is a later one."""
_PASSED = f"({CLOCK_SQL} - 1L)"
"""The processing time of a row: its batch has all rows up to this time, which has passed when it is absorbed."""


def has_row_windows(node: ast.Select) -> bool:
    """Whether a SELECT has a call with OVER that is no ranking."""
    return any(_is_row_window(item.expression) for item in node.items)


def numbers_by_time(node: ast.Select, relation: Relation, alias: str | None, demand: Demand) -> bool:
    """Whether a SELECT numbers its rows in the order of their time, and no query reads only the first of them.

    Under a `WHERE n <= 3` it is a Top-N.
    """
    names = (item.alias for item in node.items if is_row_number(item.expression))
    has_limit = any(name and demand.limit(name) is not None for name in names)
    return not has_limit and numbers_rows_in_order(node, relation, alias)


def numbers_rows_in_order(node: ast.Select, relation: Relation, alias: str | None) -> bool:
    """Whether a SELECT numbers its rows in the order of their time, and in no window."""
    calls = [item.expression for item in node.items if is_row_number(item.expression)]
    scope = Scope(relation.columns, alias)
    return (
        bool(calls)
        and not relation.is_changing
        and all(
            isinstance(call, ast.Call)
            and call.over is not None
            and bool(missing_bounds(relation, unqualified(call.over.partition, alias)))
            and len(call.over.order) == 1
            and not call.over.order[0].descending
            and scope.is_time(call.over.order[0].expression)
            for call in calls
        )
    )


def is_row_number(node: ast.Expression) -> bool:
    return isinstance(node, ast.Call) and node.name == "ROW_NUMBER" and node.over is not None


def _is_row_window(node: ast.Expression) -> bool:
    here = isinstance(node, ast.Call) and node.over is not None and node.name not in RANKINGS
    return here or any(_is_row_window(child) for child in children(node))


def with_row_windows(
    findings: Findings, node: ast.Select, relation: Relation, alias: str | None, zone: str | None, demand: Demand
) -> tuple[ast.Select, Relation]:
    """The SELECT without OVER and WHERE, and rows with the results of its OVER calls as columns. Raises SqlError.

    `demand` is that of the query over it.
    """
    if relation.is_changing:
        raise NotThereYet("OVER by time over rows that change", node.at)
    node, below = finished_for(findings, node, relation, alias, demand)
    relation = as_rows(below) if below.window is not None else below
    items = expand(node.items, relation, alias)
    planned = _RowWindows(relation, alias, zone)
    items = [
        replace(item, expression=rewritten(item.expression, planned.column), alias=titled_call(item, n))
        for n, item in enumerate(items)
    ]
    items = demanded_items(items, planned.scope, (), demand)
    where, node = node.where, replace(node, items=tuple(items), where=None)
    reads = reads_of(Demand(node), Scope((*relation.columns, *planned.given), alias), alias)
    return node, planned.relation(findings, where, reads)


def in_rowtime_order(
    findings: Findings, relation: Relation, time: ScopeColumn, zone: str | None, at: Place
) -> Relation:
    """The rows of a relation, each emitted when the watermark passes its rowtime."""
    now = ast.Bound(ast.Literal("number", "0", at), True)
    by = (ast.OrderItem(ast.Name((time.name,), at), False, None),)
    over = ast.Over((), by, ast.Frame("ROWS", now, now, "", at), None, at)
    counted = ast.SelectItem(ast.Call("COUNT", (ast.Star(None, at),), at, over=over), None)
    columns = (ast.SelectItem(ast.Name((name,), at), None) for name in relation.names)
    _, rows = with_row_windows(findings, ast.Select((*columns, counted), None, at), relation, None, zone, Demand())
    return replace(rows, columns=rows.columns[:-1])


def titled_call(item: ast.SelectItem, index: int) -> str | None:
    """The alias of an item. A call with OVER has the name that Flink gives it."""
    is_call = isinstance(item.expression, ast.Call) and item.expression.over is not None
    return f"EXPR${index}" if is_call and item.alias is None else item.alias


class _RowWindows:
    def __init__(self, relation: Relation, alias: str | None, zone: str | None) -> None:
        self.below = relation
        self.zone = zone
        self.scope = Scope(relation.columns, alias)
        self.compiler = Compiler(self.scope, place=lambda: self.below.place())
        self.calls: dict[ast.Call, AggregateCall] = {}
        self.frames: list[RowFrame] = []
        self.inputs: dict[Typed, str] = {}
        self.keys: dict[Typed, Field] = {}
        self.rowtime: ScopeColumn | None = None
        self.read: list[Typed] = []

    def column(self, node: object) -> ast.Name | None:
        """The column that replaces an OVER call."""
        if not isinstance(node, ast.Call) or node.over is None:
            return None
        if node not in self.calls:
            self._check_order(node.over)
            call, frame = self._call(node), self._frame(node, node.over)
            self.calls[node] = call
            self.frames.append(frame)
        return column_of_call(f"_over_{self.calls[node].name}", node)

    def _check_order(self, over: ast.Over) -> None:
        if not over.order:
            raise SqlError("OVER needs ORDER BY with the time attribute: OVER windows are ordered by time", over.at)
        first = over.order[0]
        column = self.scope.time_column(first.expression) if isinstance(first.expression, ast.Name) else None
        if column is None or not (column.rowtime or column.proctime) or len(over.order) > 1:
            names = [f"ORDER BY {column.title}" for column in self.scope.columns if column.rowtime]
            raise NotThereYet(
                "OVER by more than the time attribute, or above windows by anything else",
                first.expression.at,
                *names[:1],
            )
        if first.descending:
            raise SqlError("The window can only be ordered in ASCENDING mode.", first.expression.at)
        if self.rowtime is not None and column.proctime != self.rowtime.proctime:
            raise NotThereYet("OVER by rowtime beside OVER by processing time", first.expression.at)
        if column.proctime and not self.below.clock:
            self.below = timed_by_clock(self.below, self.zone, first.expression.at, _PASSED)
        self.rowtime = column

    # ------------------------------------------------------------------ frames

    def _frame(self, node: ast.Call, over: ast.Over) -> RowFrame:
        partition = tuple(self._key(self.compiler.compile(key)) for key in over.partition)
        if node.name == "ROW_NUMBER":
            return RowFrame(partition, "ROWS", None)
        if node.name in NEIGHBOURS:
            away = NEIGHBOURS[node.name] * (_number(node.arguments[1]) if len(node.arguments) > 1 else 1)
            if over.frame is not None:
                raise SqlError(f"{node.name} takes no frame", over.at)
            return RowFrame(partition, "ROWS", away, away)
        if over.frame is None:
            return RowFrame(partition, self._unit("RANGE"), None)
        frame = over.frame
        low, high = self._bound(frame, frame.low), self._bound(frame, frame.high)
        if high is None and frame.high.following:
            raise SqlError(
                f"OVER {frame.unit} FOLLOWING windows are not supported yet without a bound: no row would ever be "
                "complete",
                frame.at,
            )
        if high is None or high > 0:
            raise SqlError(
                f"OVER {frame.unit} PRECEDING windows are not supported yet: end the frame at CURRENT ROW", frame.at
            )
        if (frame.low.following and low is None) or (low is not None and low < high):
            raise SqlError("the frame ends before it begins", frame.at)
        if low is None:
            unit = frame.unit if high else self._unit(frame.unit)
            # A row by processing time is of the millisecond before its own.
            is_part = over.growing and self.rowtime is not None and not self.rowtime.proctime
            period = period_of(over.partition[-1], over.order[0].expression) if is_part else None
            return RowFrame(partition, unit, None, high, growing=over.growing, period=period)
        return RowFrame(partition, frame.unit, low, high, idle=over.idle)

    def _unit(self, written: str) -> str:
        """The unit of a frame. By processing time it is ROWS: the rows of a batch have one time, but are no peers."""
        return "ROWS" if self.rowtime is not None and self.rowtime.proctime else written

    def _bound(self, frame: ast.Frame, bound: ast.Bound) -> int | None:
        """The bound in rows or milliseconds before the current row. It is negative after the row. None: unbounded."""
        value = bound.value
        if value is None or bound.is_current_row:
            return None if value is None else 0
        if frame.unit == "ROWS":
            length = _number(value)
        elif isinstance(value, ast.Interval):
            length = interval_ms(value)
        else:
            raise SqlError(
                "RANGE takes an interval: RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW", frame.at
            )
        return -length if bound.following else length

    # ------------------------------------------------------------------ calls

    def _call(self, node: ast.Call) -> AggregateCall:
        if node.name in (*RANKINGS, *NEIGHBOURS):
            check_all_rows(node)
        if node.name == "ROW_NUMBER" and not node.arguments:
            # Beside other OVER calls it is a count of the rows so far. By itself it is a ranking.
            node = replace(node, name="COUNT", arguments=(ast.Star(None, node.at),))
        name = canonical_name(node.name)
        if name in NEIGHBOURS:
            given, kind = self._neighbour(node)
        elif has_aggregate(name):
            given = read_arguments(node, self.compiler.compile)
            kind = result_type(node, given.operand)
        else:
            raise NotThereYet(f"{node.name} … OVER by time", node.at)
        if node.within:
            raise NotThereYet(f"WITHIN GROUP in {node.name} … OVER", node.at)
        condition = self.compiler.condition(node.filter, "FILTER") if node.filter is not None else None
        return AggregateCall(
            name=f"a{len(self.calls)}",
            function=name,
            argument=self._input(given.operand),
            argument_type=given.operand.type if given.operand is not None else None,
            filter=self._input(condition),
            distinct=name not in NEIGHBOURS and is_distinct(node),
            type=kind,
            text=text_of(replace(node, over=None)),
            parameters=given.parameters,
            python=given.python,
            overflow_is_null=errors_are_null(),
        )

    def _neighbour(self, node: ast.Call) -> tuple[Arguments, DataType]:
        """The arguments of LAG and LEAD (value, offset, default), and the result type."""
        if not 1 <= len(node.arguments) <= 3:
            raise SqlError(f"{node.name} takes 1 to 3 arguments, here are {len(node.arguments)}", node.at)
        operand = self.compiler.compile(node.arguments[0])
        kind = operand.type.with_nullable(True)
        if len(node.arguments) < 3:
            return Arguments(operand), kind
        default = self.compiler.compile(node.arguments[2])
        if default.columns:
            raise NotThereYet(f"a default of {node.name} that reads columns", node.arguments[2].at)
        alike = default.type.is_numeric if kind.is_numeric else default.type.name in (kind.name, "NULL")
        if not alike and not (default.type.is_string and kind.is_string):
            raise SqlError(
                f"the default of {node.name} is {default.type.flink}, not {kind.flink}", node.arguments[2].at
            )
        fits = not may_not_fit(default.type, kind) or surely_fits(default, kind)
        with counted_for(partial(Computed, f"the default of {text_of(replace(node, over=None))}", NO_PLACE)):
            given = f"CAST({default.sql} AS {kind.spark})" if fits else cast_to(default, kind)
        return Arguments(operand, (given,)), kind

    def _input(self, typed: Typed | None) -> str | None:
        if typed is None:
            return None
        self.read.append(typed)
        return self.inputs.setdefault(typed, f"v{len(self.inputs)}")

    def _key(self, typed: Typed) -> str:
        self.read.append(typed)
        return self.keys.setdefault(typed, Field(f"g{len(self.keys)}", typed.type)).name

    # ------------------------------------------------------------------ the operator

    @property
    def given(self) -> tuple[ScopeColumn, ...]:
        """The results of the calls."""
        return tuple(ScopeColumn(f"_over_{call.name}", call.type) for call in self.calls.values())

    def _operator(
        self, findings: Findings, where: ast.Expression | None, columns: Mapping[str, Field], part: Part
    ) -> WindowAggregate:
        """The operator of a part's calls over the rows of this WHERE. It also keeps these columns of the rows.

        Its input is "SELECT `shop` AS `k0`, `shop` AS `g0`, `n` AS `v0`, struct(…) AS `p`, _nrt_ts, … FROM `orders`".
        """
        assert self.rowtime is not None
        below, (calls, frames) = self.below, zip(*part)
        partitions = {frame.partition for frame in frames}
        used = {name for call in calls for name in (call.argument, call.filter)}.union(*partitions)
        keys = {typed: field for typed, field in self.keys.items() if field.name in used}
        taken = {field.name: below.column(name).typed for name, field in columns.items()}
        taken |= {field.name: typed for typed, field in keys.items()}
        taken |= {name: typed for typed, name in self.inputs.items() if name in used}
        source = below.text
        if where is not None:
            condition = self.compiler.condition(where, "WHERE")
            self.read.append(condition)
            source = f"{source} WHERE {condition.sql}"
        rows = Values({**taken, "p": arrival_position()}, below.hidden, source)
        lengths = [frame.low for frame in frames]
        bounded = all(low is not None and frame.unit == "RANGE" for low, frame in zip(lengths, frames))
        following = max([0, *(-frame.high for frame in frames)])
        window = over(max(0, *(low or 0 for low in lengths)) + following) if bounded else over()
        return share_rows(
            findings,
            WindowAggregate(
                name="",
                input=Query(rows.query, below.inputs, tuple(columns.values())),
                sources=findings.sources_of(below),
                window=replace(window, zone=self.zone) if self.rowtime.type.name == "TIMESTAMP_LTZ" else window,
                keys=(*columns.values(), *keys.values(), Field("p", POSITION_TYPE)),
                aggregates=calls,
                rowtime_type=self.rowtime.type,
                clock=below.clock,
                keeps_rows=True,
                partition=frames[0].partition,
                frames=frames,
                strict=None in lengths or following > 0 or len(partitions) > 1 or any(frame.idle for frame in frames),
                written=_written(columns, keys, where),
            ),
            rows,
        )

    def relation(self, findings: Findings, where: ast.Expression | None, reads: Reads) -> Relation:
        """The rows of this WHERE when they are complete, with the results of the calls as columns `_over_…`.

        Their text is "(SELECT k0 AS `shop`, a0 AS `_over_a0`, p AS _nrt_pos, _nrt_end FROM `w1`)".
        """
        below = self.below
        assert self.rowtime is not None
        kept = tuple(column for column in below.columns if reads(column))
        columns = {c.name: Field(f"{KEPT}{n}", c.type) for n, c in enumerate(below.columns) if c in kept}
        findings.note_all_columns(replace(below, columns=kept))
        first, *others = parts_of(tuple(zip(self.calls.values(), self.frames)))
        operators = [self._operator(findings, where, columns, first)]
        operators += (self._operator(findings, where, {}, part) for part in others)
        if others:
            operators.append(put_together(findings, operators, columns))
        operator = operators[-1]
        findings.note_columns(below, self.read)
        selected = [f"{field.name} AS {quote(name)}" for name, field in columns.items()]
        selected += [f"{call.name} AS {quote(f'_over_{call.name}')}" for call in self.calls.values()]
        # A row that waits for later rows is emitted after its time, so it would be late for a window above.
        by_clock = self.rowtime.proctime
        by_rowtime = not by_clock and all(frame.high >= 0 for frame in self.frames)
        given = (
            replace(
                one,
                role=None,
                of_window=False,
                rowtime=one.rowtime and by_rowtime,
                rowtime_path=one.rowtime_path if by_rowtime else (),
                proctime=one.proctime and by_clock,
            )
            for one in kept
        )
        return Relation(
            f"(SELECT {', '.join([*selected, f'p AS {POSITION}', WINDOW_END])} FROM {quote(operator.name)})",
            (*given, *self.given),
            (operator.name,),
            Framed(below.node, operators=tuple(dict.fromkeys(one.name for one in operators))),
            hidden=(WINDOW_END, POSITION),
            window=operator.window,
            rowtime_type=self.rowtime.type,
            clock=below.clock,
        )


def _written(columns: Mapping[str, Field], keys: Mapping[Typed, Field], where: ast.Expression | None) -> Written:
    names = [(field.name, name) for name, field in columns.items()]
    names += [(field.name, typed.column or typed.sql.replace("`", "")) for typed, field in keys.items()]
    return Written(tuple(names), text_of(where) if where is not None else None)


def _number(node: ast.Expression) -> int:
    number = node.whole if isinstance(node, ast.Literal) else None
    if number is None:
        raise SqlError(f"a whole number of rows is needed, not {text_of(node)}", node.at)
    return number
