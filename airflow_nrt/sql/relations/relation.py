"""What a query has become while it is planned: Spark SQL text, its columns, and whose windows it belongs to."""

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
    KEY,
    POSITION,
    ROWTIME,
    SEEN,
    SOURCE_HIDDEN,
    WINDOW_END,
    key_of,
)
from airflow_nrt.model.window_columns import ROLES, window_column
from airflow_nrt.model.windows import Sql, Window
from airflow_nrt.model.zones import wall_clock_sql
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.logical.node import Node

BOUNDS = (("window_start", "start"), ("window_end", "end"))
"""The names and roles of the columns that say which window a row is in."""
WINDOW_COLUMNS = {role: name for name, role in ROLES.items()}
"""By role, the names of the columns that a windowing function adds."""


@dataclass(frozen=True)
class Relation:
    """`text` can stand behind FROM; `inputs` are the sources, operators and regroups that it names. `node` is what a
    report does to get these rows, as far as it is planned.

    `scan` is the source whose columns these are, as long as nothing was projected. `pending` is a windowing function
    that nothing has been computed of yet: its three window columns are in `columns`, but not in the text. `window` is
    the windowing that rows of finished windows belong to; then each row carries the `bounds` of its window.
    `clock` is the clock of a pending windowing function over processing time, or of the OVER that these rows passed.
    `partition` are the columns that each have sessions of their own, if SESSION is pending; None: all keys of the
    aggregation above. `at` is where the pending function stands.
    `operator` is the operator or regroup whose results these rows are, at most one row for each; `keys` says which
    columns carry which of its keys.
    `adds_only` holds of rows that change if none is ever taken back. Each of `unique` are columns that no two rows have
    in common.
    `laterals` says how many times a row of an input has become several, so that their places have been divided.
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

    @property
    def has_sessions(self) -> bool:
        """Whether sessions of its rows are still to be found: no row may go before they are."""
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
        """Whether these are rows that change: those before a batch and those behind it."""
        return AFTER in self.hidden

    def role(self, role: str) -> ScopeColumn | None:
        """The first window column with this role."""
        return next((column for column in self.columns if column.role == role), None)

    def is_window_column(self, name: str) -> bool:
        """Whether a column is one of a windowing function that nothing has been computed of yet."""
        return self.pending is not None and self.column(name).role is not None


def window_columns(rowtime_type: DataType, names: Mapping[str, str]) -> tuple[ScopeColumn, ...]:
    """The start, the end and the time of windows, which is a rowtime attribute again, under these names by role."""
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
    """SQL of `_nrt_key` for rows that are only added: where each stood on arrival, and what `more` tells it apart."""
    return key_of([*(f"{POSITION}.{part} AS {part}" for part in ("file", "block", "row")), f"{ROWTIME} AS at", *more])


def as_changes(relation: Relation) -> Relation:
    """Rows that are only added as rows that change: none of them is ever taken back."""
    items = [quote(column.name) for column in relation.columns]
    text = f"(SELECT {', '.join(items)}, true AS {AFTER}, {row_key()} AS {KEY} FROM {relation.text})"
    columns = tuple(replace(column, proctime=False) for column in relation.columns)
    return Relation(
        text, columns, relation.inputs, relation.node, CHANGE_HIDDEN, adds_only=True, laterals=relation.laterals
    )


def timed_by_clock(relation: Relation, zone: str | None, at: Place, instant: str = CLOCK_SQL) -> Relation:
    """The rows of a source with an instant of processing time as their rowtime, on the clock of this zone.

    What OVER by processing time gives has come at the millisecond behind its rowtime. Raises NotThereYet above anything
    else.
    """
    if relation.clock:
        came = f"(SELECT * EXCEPT ({ROWTIME}), {ROWTIME} + 1L AS {ROWTIME} FROM {relation.text})"
        return replace(relation, text=came)
    if ABSORBED not in relation.hidden:
        raise NotThereYet("processing time above a window or a join by rowtime", at)
    rowtime = f"{wall_clock_sql(Sql(instant), zone)} AS {ROWTIME}"
    text = f"(SELECT * EXCEPT ({ROWTIME}), {rowtime} FROM {relation.text})"
    return replace(relation, text=text, clock=(CLOCK,))


def timed_by_column(relation: Relation, column: ScopeColumn, zone: str | None) -> Relation:
    """Rows that change, with a column of theirs as their rowtime, if it is an instant on the clock of this zone."""
    at = Sql(f"unix_millis(CAST({column.rowtime_field or quote(column.name)} AS TIMESTAMP))")
    on_clock = wall_clock_sql(at, zone if column.type.name == "TIMESTAMP_LTZ" else None)
    text = f"(SELECT *, {on_clock} AS {ROWTIME} FROM {relation.text})"
    return replace(relation, text=text, hidden=(*relation.hidden, ROWTIME))


def as_rows(relation: Relation) -> Relation:
    """The rows of finished windows as rows that another window can hold: their time is the end of their window.

    They arrive in the order of these ends; where nothing else is known, rows of one window by their content.
    """
    names = [quote(column.name) for column in relation.columns]
    if POSITION in relation.hidden:
        place = f"{POSITION}.file AS file, {POSITION}.block AS block, {POSITION}.row AS row"
    else:
        content = [quote(column.name) for column in relation.columns if column.type.name != "MAP"]
        number = f"row_number() OVER (PARTITION BY {WINDOW_END} ORDER BY {', '.join(content)})"
        place = f"{WINDOW_END} AS file, 0L AS block, CAST({number} AS BIGINT) AS row"
    position = f"struct({place}, CAST(NULL AS STRING) AS path) AS {POSITION}"
    unknown = f"CAST(NULL AS STRING) AS _nrt_row, CAST(NULL AS BIGINT) AS {SEEN}, CAST(NULL AS BIGINT) AS {BATCH}"
    text = f"(SELECT {', '.join([*names, position])}, {unknown}, {WINDOW_END} - 1 AS {ROWTIME} FROM {relation.text})"
    hidden = tuple(name for name in SOURCE_HIDDEN if name != ABSORBED)
    return Relation(text, relation.columns, relation.inputs, relation.node, hidden, clock=relation.clock)


def in_their_window(relation: Relation) -> Relation:
    """A pending TUMBLE or CUMULATE whose rows carry the columns of the first window that each is in.

    It is the only one of TUMBLE; all those of CUMULATE have its start.
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
    """The pending windowing function by itself: every row once for each window that holds it. Nothing is ever late."""
    window, rowtime_type = relation.pending, relation.rowtime_type
    assert window is not None and rowtime_type is not None
    slice_end = window.slice_end(Sql(ROWTIME))
    first, last = window.first_end(Sql("_nrt_slice")), window.last_end(Sql("_nrt_slice"))
    plain = [quote(column.name) for column in relation.columns if column.role is None]
    hidden = relation.hidden
    sliced = f"(SELECT *, {slice_end} AS _nrt_slice FROM {relation.text})"
    exploded = (
        f"(SELECT {', '.join([*plain, *hidden])}, explode(sequence({first}, {last}, {window.stride}L)) AS {WINDOW_END} "
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
        # In each of its windows it is a row of its own.
        hidden, keys = CHANGE_HIDDEN, [AFTER, f"{key_of([f'{KEY} AS row', f'{WINDOW_END} AS w'])} AS {KEY}"]
    else:
        keys = list(hidden)
    text = f"(SELECT {', '.join([*items, *keys])} FROM {exploded})"
    return Relation(text, columns, relation.inputs, relation.node, hidden)
