"""A query that is being planned: its Spark SQL, its columns, the window of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.internal_columns import (
    ABSORBED,
    AFTER,
    BATCH,
    CHANGE_HIDDEN,
    CLOCK,
    CLOCK_SQL,
    IDENTITY,
    KEY,
    NUMBER,
    POSITION,
    ROWTIME,
    SEEN,
    SOURCE_HIDDEN,
    WINDOW_END,
    key_of,
)
from airflow_nrt.model.numbering import Numbering
from airflow_nrt.model.value_places import NO_PLACE, in_row, in_window
from airflow_nrt.model.window_columns import ROLES, window_column
from airflow_nrt.model.windows import Sql, Window
from airflow_nrt.model.zones import wall_clock_sql
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.logical.node import Node

BOUNDS = (("window_start", "start"), ("window_end", "end"))
"""The names and roles of the columns that say which window a row is in."""
WINDOW_COLUMNS = {role: name for name, role in ROLES.items()}
"""The names of the columns that a windowing function adds, by role."""


@dataclass(frozen=True)
class Relation:
    """The rows of a query: `text` is a FROM item of Spark SQL, `inputs` are the sources, operators and regroups in it.

    `node` is the tree of the report's clauses, as far as they are planned.
    `scan` is the source whose columns these are, until a projection.
    `pending` is a windowing function that is not computed yet: its three columns are in `columns`, but not in the text.
    `at` is its place in the script.
    `window` is the window of rows of finished windows. Each row then has its `bounds` as hidden columns.
    `clock` is the clock of a pending windowing function over processing time, or of the OVER that gave these rows.
    `partition` are the columns by which a pending SESSION has its sessions. None: all keys of the aggregation above.
    `operator` is the operator or regroup that gave these rows, at most one for each of its results. `keys` says which
    columns have which of its keys.
    `adds_only` is true of rows that change if none is ever retracted.
    `unique` are sets of columns. No two rows are equal in all columns of a set.
    `numbering` is that of rows which are numbered in the order of arrival: the text reads them as `NUMBERED`.
    `laterals` is how many times one row became several, each time with positions inside that of the row.
    """

    text: str
    columns: tuple[ScopeColumn, ...]
    inputs: tuple[str, ...]
    node: Node
    hidden: tuple[str, ...] = SOURCE_HIDDEN
    scan: str | None = None
    pending: Window | None = None
    partition: tuple[str, ...] | None = ()
    at: Place | None = None
    window: Window | None = None
    rowtime_type: DataType | None = None
    clock: tuple[str, ...] = ()
    operator: str | None = None
    keys: tuple[tuple[str, str], ...] = ()
    adds_only: bool = False
    unique: tuple[tuple[str, ...], ...] = ()
    laterals: int = 0
    numbering: Numbering | None = None

    @property
    def has_sessions(self) -> bool:
        """Whether the sessions of its rows are not computed yet. No row may be filtered before they are."""
        return self.pending is not None and self.pending.bounded_by_rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> ScopeColumn:
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, ScopeColumn]:
        return {column.name: column for column in reversed(self.columns)}

    @property
    def is_changing(self) -> bool:
        """Whether these are rows that change: the ones before a batch and the ones after it."""
        return AFTER in self.hidden

    @property
    def has_batch(self) -> bool:
        """Whether these are rows of sources, each with the batch that absorbed it."""
        return ABSORBED in self.hidden

    @property
    def has_position(self) -> bool:
        """Whether each row has its position of arrival."""
        return POSITION in self.hidden

    @property
    def numbering_in_window(self) -> Numbering | None:
        """The numbering of the rows of the pending windowing function."""
        assert self.pending is not None
        return None if self.numbering is None else self.numbering.below(self.pending)

    def identity(self) -> str | None:
        """SQL that differs for each row and is the same whenever the row is computed. None if nothing is so.

        It is "_nrt_id", or of rows with a key "to_json(struct(`shop`, `window_end`), …)".
        """
        if self.pending is not None and not (self.pending.one_slice or self.pending.bounded_by_rows):
            return None
        if IDENTITY in self.hidden:
            return IDENTITY
        if self.hidden == (NUMBER,):
            return f"CAST({NUMBER} AS STRING)"
        return key_of([quote(name) for name in self.unique[0]]) if self.unique else None

    def place(self) -> str:
        """SQL of the place of a row, for values that can't be computed."""
        if WINDOW_END in self.hidden:
            return in_window([quote(name) for name, _ in self.keys])
        if self.has_sessions or not {ABSORBED, POSITION, ROWTIME} <= {*self.hidden}:
            return NO_PLACE
        # Who joins or multiplies rows gives them other numbers.
        return in_row(self.scan is not None, any(column.rowtime for column in self.columns))

    def role(self, role: str) -> ScopeColumn | None:
        """The first window column with this role."""
        return next((column for column in self.columns if column.role == role), None)

    def is_window_column(self, name: str) -> bool:
        """Whether a column is one of the pending windowing function."""
        return self.pending is not None and self.column(name).role is not None


def window_columns(rowtime_type: DataType, names: Mapping[str, str]) -> tuple[ScopeColumn, ...]:
    """The start, the end and the time of windows. The time is a rowtime attribute. `names` are by role."""
    plain = DataType("TIMESTAMP", precision=3, nullable=False)
    time = DataType(rowtime_type.name, precision=3, nullable=False)
    return (
        ScopeColumn(names["start"], plain, role="start", of_window=True),
        ScopeColumn(names["end"], plain, role="end", of_window=True),
        ScopeColumn(names["time"], time, rowtime=True, role="time", of_window=True),
    )


def union_inputs(inputs: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in inputs for name in names))


def row_key(*more: str) -> str:
    """SQL of `_nrt_key` for rows that are only added: the position of arrival, and what `more` distinguishes them.

    >>> print(row_key("w"))
    to_json(struct(_nrt_pos.file AS file, _nrt_pos.block AS block, _nrt_pos.row AS row, _nrt_ts AS at, w),
    map('timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS', 'timestampNTZFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS'))
    """
    return key_of([*(f"{POSITION}.{part} AS {part}" for part in ("file", "block", "row")), f"{ROWTIME} AS at", *more])


def as_changes(relation: Relation) -> Relation:
    """Rows that are only added, as rows that change. None of them is ever retracted."""
    items = [quote(column.name) for column in relation.columns]
    text = f"(SELECT {', '.join(items)}, true AS {AFTER}, {row_key()} AS {KEY} FROM {relation.text})"
    columns = tuple(replace(column, proctime=False) for column in relation.columns)
    return Relation(
        text, columns, relation.inputs, relation.node, CHANGE_HIDDEN, adds_only=True, laterals=relation.laterals
    )


def timed_by_clock(relation: Relation, zone: str | None, at: Place, instant: str = CLOCK_SQL) -> Relation:
    """The rows of a source with an instant of processing time as their rowtime, on the clock of this zone.

    The rows of OVER by processing time arrived in the millisecond after their rowtime. Raises NotThereYet for any other
    rows.
    """
    if relation.clock:
        arrived = f"(SELECT * EXCEPT ({ROWTIME}), {ROWTIME} + 1L AS {ROWTIME} FROM {relation.text})"
        return replace(relation, text=arrived)
    if not relation.has_batch:
        raise NotThereYet("processing time above a window or a join by rowtime", at)
    rowtime = f"{wall_clock_sql(Sql(instant), zone)} AS {ROWTIME}"
    text = f"(SELECT * EXCEPT ({ROWTIME}), {rowtime} FROM {relation.text})"
    return replace(relation, text=text, clock=(CLOCK,))


def timed_by_column(relation: Relation, column: ScopeColumn, zone: str | None) -> Relation:
    """Rows that change, with one of their columns as their rowtime. An instant is read on the clock of this zone."""
    at = Sql(f"unix_millis(CAST({column.rowtime_field or quote(column.name)} AS TIMESTAMP))")
    on_clock = wall_clock_sql(at, zone if column.type.name == "TIMESTAMP_LTZ" else None)
    text = f"(SELECT *, {on_clock} AS {ROWTIME} FROM {relation.text})"
    return replace(relation, text=text, hidden=(*relation.hidden, ROWTIME))


def as_rows(relation: Relation) -> Relation:
    """The rows of finished windows as rows for another window. Their time is the end of their window.

    They arrive in the order of these ends. Rows of one window are in the order of arrival, or else of their content.
    """
    names = [quote(column.name) for column in relation.columns]
    if relation.has_position:
        parts = f"{POSITION}.file AS file, {POSITION}.block AS block, {POSITION}.row AS row"
    else:
        content = [quote(column.name) for column in relation.columns if column.type.name != "MAP"]
        number = f"row_number() OVER (PARTITION BY {WINDOW_END} ORDER BY {', '.join(content)})"
        parts = f"{WINDOW_END} AS file, 0L AS block, CAST({number} AS BIGINT) AS row"
    position = f"struct({parts}, CAST(NULL AS STRING) AS path) AS {POSITION}"
    unknown = f"CAST(NULL AS STRING) AS _nrt_row, CAST(NULL AS BIGINT) AS {SEEN}, CAST(NULL AS BIGINT) AS {BATCH}"
    text = f"(SELECT {', '.join([*names, position])}, {unknown}, {WINDOW_END} - 1 AS {ROWTIME} FROM {relation.text})"
    hidden = tuple(name for name in SOURCE_HIDDEN if name != ABSORBED)
    return Relation(text, relation.columns, relation.inputs, relation.node, hidden, clock=relation.clock)


def in_their_window(relation: Relation) -> Relation:
    """A pending TUMBLE or CUMULATE whose rows have the columns of their first window.

    A row of TUMBLE is in no other window. All windows of a row of CUMULATE have one start.
    """
    window, rowtime_type = relation.pending, relation.rowtime_type
    assert window is not None and window.ends_on_grid and window.nested and rowtime_type is not None
    items = [
        f"{window_column(window, column.role, rowtime_type)} AS {quote(column.name)}"
        for column in relation.columns
        if column.role is not None
    ]
    placed = f"(SELECT *, {window.slice_end(Sql(ROWTIME))} AS {WINDOW_END} FROM {relation.text})"
    return replace(relation, text=f"(SELECT *, {', '.join(items)} FROM {placed})")


def raw_windows(relation: Relation) -> Relation:
    """The pending windowing function by itself: each row once for each window that holds it. No row is ever late."""
    window, rowtime_type = relation.pending, relation.rowtime_type
    assert window is not None and rowtime_type is not None
    slice_end = window.slice_end(Sql(ROWTIME))
    first, last = window.first_end(Sql("_nrt_slice")), window.last_end(Sql("_nrt_slice"))
    ends = window.grid.sequence(first.text, last.text)
    plain = [quote(column.name) for column in relation.columns if column.role is None]
    # Each row is one row for each of its windows.
    hidden = tuple(name for name in relation.hidden if name != IDENTITY or window.one_slice)
    sliced = f"(SELECT *, {slice_end} AS _nrt_slice FROM {relation.text})"
    exploded = (
        f"(SELECT {', '.join([*plain, *hidden])}, explode({ends}) AS {WINDOW_END} "
        f"FROM {sliced} WHERE {first} <= {last})"
    )
    items = [
        quote(column.name)
        if column.role is None
        else f"{window_column(window, column.role, rowtime_type)} AS {quote(column.name)}"
        for column in relation.columns
    ]
    columns = tuple(
        ScopeColumn(c.name, c.type, rowtime=c.role == "time", role=None, of_window=False) for c in relation.columns
    )
    if relation.is_changing:
        # It is another row in each of its windows.
        hidden, keys = CHANGE_HIDDEN, [AFTER, f"{key_of([f'{KEY} AS row', f'{WINDOW_END} AS w'])} AS {KEY}"]
    else:
        keys = list(hidden)
    text = f"(SELECT {', '.join([*items, *keys])} FROM {exploded})"
    return Relation(text, columns, relation.inputs, relation.node, hidden)
