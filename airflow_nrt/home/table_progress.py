"""How far the tables of a report are: what the log has decided for them, and what their readers can see.

An entry of the log decides on results. They are published a moment later, or much later where a sink does not answer.
Everything that says how far a report is asks here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from airflow_nrt.basics.instants import format_reached
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.home.heartbeat import Heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Lease, Position
from airflow_nrt.home.log.history.lacking import lacking
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.outline import InsertOutline, Outline
from airflow_nrt.home.visible import directory_of, staged_directories
from airflow_nrt.model.windows import Every, Grid, Monthly

_EVERY_TABLE = ""
"""Stands for all tables among the names of tables, none of which is empty."""


@dataclass(frozen=True)
class TableProgress:
    """How far one table is.

    All windows that end at or before `decided` are decided, and those up to `published` are in the table (ms of the
    report's clock; None where there are none, or where the table has no windows). All results up to the log entry
    `published_entry` are in it, of `decided_entry`, the last one.
    """

    table: str
    decided: int | None
    published: int | None
    decided_entry: int
    published_entry: int
    stride: int | None = None
    calendar: Monthly | None = None

    @property
    def grid(self) -> Grid | None:
        """The ends of its windows, None if it has none."""
        if self.stride is None:
            return None
        return self.calendar or Every(self.stride, 0 if self.published is None else self.published)

    @property
    def waits(self) -> bool:
        """Whether results are decided that no reader can see."""
        return self.published_entry < self.decided_entry

    def __str__(self) -> str:
        """In words, such as `curve: decided up to 2024-06-18 10:30:00, published up to 2024-06-18 10:10:00`."""
        if self.stride is None:
            decided, published = f"entry {self.decided_entry}", f"entry {self.published_entry}"
        else:
            decided, published = format_reached(self.decided), format_reached(self.published)
        return f"{self.table}: decided up to {decided}, published up to {published}"


@dataclass(frozen=True)
class TablesProgress:
    """The positions of the stream after the last entry, and after the last one whose results are in all tables; and
    the tables, as far as the home says which there are."""

    decided: Position = field(default_factory=Position)
    published: Position = field(default_factory=Position)
    tables: tuple[TableProgress, ...] = ()

    @property
    def waiting(self) -> tuple[TableProgress, ...]:
        """The tables that lack results which are decided."""
        return tuple(one for one in self.tables if one.waits)


def tables_progress(home: Home, log: Log, outline: Outline | None, beat: Heartbeat | None) -> TablesProgress:
    """Where nothing waits, it reads the last entries of the log. Raises HomeError."""
    first = _first_lacking(home, log, beat)
    decided = log.position()
    positions = {log.last: decided}

    def position(entry: int) -> Position:
        if entry not in positions:
            positions[entry] = log.position(entry)
        return positions[entry]

    def of_table(one: InsertOutline) -> TableProgress:
        entry = min(first.get(one.name, log.last + 1), first.get(_EVERY_TABLE, log.last + 1)) - 1
        window = one.window
        if window is None:
            return TableProgress(one.name, None, None, log.last, entry)
        ends = complete_until(decided, one), complete_until(position(entry), one)
        return TableProgress(one.name, *ends, log.last, entry, window.stride, window.calendar)

    inserts = outline.inserts if outline is not None else ()
    # Archives and tables of rejected rows hold no results.
    named = {_EVERY_TABLE, *(one.name for one in inserts)}
    lacking = [entry for name, entry in first.items() if name in named or not inserts]
    published = position(min(lacking, default=log.last + 1) - 1)
    return TablesProgress(decided, published, tuple(map(of_table, inserts)))


def complete_until(position: Position, insert: InsertOutline | None = None) -> int | None:
    """All windows that end at or before this are complete at a position: those of an insert, or all. None if of some
    operator none is."""
    operators = position.operators
    names = (insert.operators if insert is not None else ()) or operators
    ends = [operators[name].complete_until for name in names if name in operators]
    known = [end for end in ends if end is not None]
    return min(known) if known and len(known) == len(ends) else None


def newest_complete(position: Position) -> int | None:
    """All windows of the operators that have any complete ones are complete up to this at a position."""
    ends = (state.complete_until for state in position.operators.values())
    return min((end for end in ends if end is not None), default=None)


def _first_lacking(home: Home, log: Log, beat: Heartbeat | None) -> dict[str, int]:
    """By insert, the first entry whose results are not in its table; others lack nothing.

    The heartbeat says it up to its entry: no later result of a driver counts before a heartbeat counts its entry. Those
    of backfills, and of drivers whose heartbeat does not know yet, are in their table once they are staged no more.
    """
    found: dict[str, int] = {}
    if beat is not None and beat.entry >= 0:
        found.update({name: first for name, first in beat.owed.items() if first <= log.last})
        start = max(beat.entry + 1, log.first)
        of_drivers = (one for one in log.entries(start) if one.epoch is not None)
        first = next((one for one in of_drivers if not isinstance(one.body, Lease)), None)
        if first is not None:
            found[_EVERY_TABLE] = first.n
        later: Iterable[Entry] = log.entries(start)
    else:
        added = home.identity().added if log.last >= 0 else {}
        for name, changes in lacking(past_results(log), added).items() if added else ():
            found[name] = min(one.entry for one in changes)
        later = _may_be_staged(home, log)
    staged = staged_directories(home)
    for entry in later if staged else ():
        for one in entry.published:
            if directory_of(one) in staged:
                found[one.insert] = min(entry.n, found.get(one.insert, entry.n))
    return found


def _may_be_staged(home: Home, log: Log) -> Iterator[Entry]:
    """The entries whose results are staged, and some others: newest first.

    The directory of a driver's results begins with its epoch.
    """
    left = staged_directories(home)
    epochs = [number_of(name.partition("-")[0]) for name in left]
    oldest = min((one if one is not None else 0 for one in epochs), default=0)
    for entry in log.backwards() if left else ():
        yield entry
        left -= set(map(directory_of, entry.published))
        if not left or (isinstance(entry.body, Lease) and entry.epoch is not None and entry.epoch <= oldest):
            return
