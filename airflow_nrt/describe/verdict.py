"""The result of a verification: counts of windows and rows, and the windows with unexplained differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Protocol

from airflow_nrt.basics.instants import END_OF_TIME, format_instant, format_reached
from airflow_nrt.basics.texts import counted
from airflow_nrt.describe.table_history import WindowHistory
from airflow_nrt.files.decoding import decoded

EQUAL, EXPLAINED, MISSING, EXTRA, DIFFERENT = CLASSES = ("equal", "explained", "missing", "extra", "different")
UNEXPLAINED = (MISSING, EXTRA, DIFFERENT)
NOTHING = "nothing to prove"


@dataclass(frozen=True)
class RowSample:
    """One unexplained row: the values that were published and those of the batch, None if there is no such row."""

    kind: str
    key: str
    published: str | None
    expected: str | None


@dataclass(frozen=True)
class BadWindow:
    """A window with unexplained rows; `end` is None for rows outside of any window.

    `history` says since when they are there, if the table has a history.
    """

    start: int | None
    end: int | None
    missing: int
    extra: int
    different: int
    samples: tuple[RowSample, ...] = ()
    history: WindowHistory | None = None

    def __str__(self) -> str:
        parts = [
            f"{count} {kind}" for kind, count in zip(UNEXPLAINED, (self.missing, self.extra, self.different)) if count
        ]
        rows = f"{', '.join(parts)} {'row' if self.missing + self.extra + self.different == 1 else 'rows'}"
        if self.end is None:
            return f"outside of any window: {rows}"
        return f"window [{format_instant(self.start)}, {format_instant(self.end)}): {rows}"


@dataclass(frozen=True)
class PinnedWindow:
    """A window that has the rows that somebody has set, `by` whom, `at` a time (ms of the wall clock), for a `reason`
    ('' if none was given). The batch does not decide about it."""

    start: int | None
    end: int
    by: str
    at: int
    reason: str = ""

    def __str__(self) -> str:
        reason = f": {self.reason}" if self.reason else ""
        when = format_instant(self.at)[:10]
        return f"window [{format_instant(self.start)}, {format_instant(self.end)}): set by {self.by} on {when}{reason}"


@dataclass(frozen=True)
class InsertVerdict:
    """The verdict of one insert. A window is one window end, over all keys; `rows` counts rows by class.

    `unequal_ends` are all windows that differ from the batch, explained or not. `bad` describes the first unexplained
    windows. Windows that are `pinned`, and are as somebody has set them, are none of the `windows` that are compared
    with the batch; one that is not as it was set is unexplained.
    """

    insert: str
    windows: int
    equal: int
    explained: int
    unexplained: int
    pending: int
    rows: Mapping[str, int]
    bad: tuple[BadWindow, ...] = ()
    unequal_ends: tuple[int, ...] = ()
    pinned: tuple[PinnedWindow, ...] = ()


@dataclass(frozen=True)
class LedgerVerdict:
    """The late ledger of one operator, compared with the source.

    `claimed` rows are in the ledger, `found` rows are late in the source. `invented` rows are only in the ledger,
    `lacking` rows only in the source.
    """

    operator: str
    claimed: int
    found: int
    invented: int
    lacking: int
    samples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """A verification as of a log entry (-1: of an empty log), for windows with `start < end of window <= end`.

    `problems` are contradictions that are not rows: a watermark that does not follow from the rows, a source file that
    changed after it was read, a published file that is not in the log. `unread` files have arrived and were not read.
    """

    report: str
    home: str
    entry: int
    start: int | None
    end: int | None
    inserts: tuple[InsertVerdict, ...]
    ledgers: tuple[LedgerVerdict, ...] = ()
    problems: tuple[str, ...] = ()
    unread_files: int = 0
    unread_bytes: int = 0
    late_rows: int = 0
    notes: tuple[str, ...] = field(default_factory=tuple)
    unprovable: Mapping[str, int] = field(default_factory=dict)
    """By insert, the end (ms) up to which windows that were asked for can't be proven, because the entries with their
    rows are removed: the end of time if none of its results can be. They are neither equal nor different."""

    @property
    def windows(self) -> int:
        return sum(one.windows for one in self.inserts)

    @property
    def equal(self) -> int:
        return sum(one.equal for one in self.inserts)

    @property
    def explained(self) -> int:
        return sum(one.explained for one in self.inserts)

    @property
    def unexplained(self) -> int:
        return sum(one.unexplained for one in self.inserts)

    @property
    def pending(self) -> int:
        return sum(one.pending for one in self.inserts)

    @property
    def pinned(self) -> int:
        """Windows that somebody has set, which are as they were set."""
        return sum(len(one.pinned) for one in self.inserts)

    @property
    def is_proven(self) -> bool:
        """Whether every difference is explained by late rows, and the evidence itself holds, for all that was asked."""
        return self.holds and not self.unprovable

    @property
    def holds(self) -> bool:
        """The same of the windows that can be proven."""
        honest = all(not ledger.invented and not ledger.lacking for ledger in self.ledgers)
        return self.unexplained == 0 and honest and not self.problems

    @property
    def text(self) -> str:
        """The verdict in one line."""
        return f"{self.report}: {_conclusion(self)}; {_counts(self)}"

    def without_rows(self) -> Verdict:
        """The verdict without rows of the report, for a log that others read."""
        inserts = tuple(
            replace(one, bad=tuple(replace(window, samples=()) for window in one.bad)) for one in self.inserts
        )
        return replace(self, inserts=inserts, ledgers=tuple(replace(one, samples=()) for one in self.ledgers))

    def to_json(self) -> dict[str, Any]:
        totals = {
            name: getattr(self, name) for name in ("windows", "equal", "explained", "unexplained", "pending", "pinned")
        }
        return {**asdict(self), **totals, "proven": self.is_proven, "text": self.text}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Verdict:
        """Raises TypeError for what `to_json` does not give."""
        names = {one.name for one in fields(cls)}
        return decoded({name: value for name, value in content.items() if name in names}, cls)


def verdict_lines(verdict: Verdict) -> list[str]:
    """The verdict for a person."""
    lines = [f"verification of {verdict.report} as of log entry {verdict.entry}, home {verdict.home}"]
    for one in verdict.inserts:
        lines.append(f"  {one.insert}: {_counts(one)}")
        lines += [f"    {pinned}" for pinned in one.pinned]
        for bad in one.bad:
            lines.append(f"    {bad}")
            lines += [] if bad.history is None else [f"      {bad.history.text}"]
            for sample in bad.samples:
                published = "not published" if sample.published is None else f"published {sample.published}"
                expected = "not in the batch" if sample.expected is None else f"batch {sample.expected}"
                lines.append(f"      {sample.kind} {sample.key}: {published}, {expected}")
    for ledger in verdict.ledgers:
        lines.append(f"  late rows of {ledger.operator}: {ledger.claimed} in the ledger, {ledger.found} in the source")
        if ledger.invented or ledger.lacking:
            lines.append(
                f"    {ledger.invented} in the ledger are not late in the source, {ledger.lacking} are lacking"
            )
            lines += [f"      {sample}" for sample in ledger.samples]
    lines += [f"  problem: {problem}" for problem in verdict.problems]
    lines += [f"  note: {note}" for note in verdict.notes]
    return [*lines, closing_line(verdict), *unread_lines(verdict.unread_files, verdict.unread_bytes)]


def closing_line(verdict: Verdict) -> str:
    """The conclusion, and why there was nothing to prove."""
    said = _conclusion(verdict)
    return said if said != NOTHING else nothing_because(len(verdict.inserts), verdict.pending, verdict.end)


def has_a_verdict(verdict: Verdict) -> bool:
    """Whether it says something good: windows are proven, or are as somebody has set them."""
    return verdict.is_proven and bool(verdict.windows or verdict.pinned)


def not_before(unprovable: Mapping[str, int]) -> str:
    """Of which windows nothing can be said any more.

    >>> print(not_before({"sales": 1718704800000}))
    can't be proven before 2024-06-18 10:00:00: the log entries with the rows of earlier windows are removed
    """
    until = max(unprovable.values())
    if until >= END_OF_TIME:
        return "can't be proven any more: the log entries with their rows are removed"
    return (
        f"can't be proven before {format_instant(until)}: the log entries with the rows of earlier windows are removed"
    )


def _conclusion(verdict: Verdict) -> str:
    if verdict.pinned:
        without = replace(verdict, inserts=tuple(replace(one, pinned=()) for one in verdict.inserts))
        said = _conclusion(without)
        set_by_hand = f"{counted(verdict.pinned, 'window')} set by hand"
        return set_by_hand if said == NOTHING else f"{said}; {set_by_hand}"
    if not verdict.unprovable or not verdict.holds:
        return conclusion(verdict)
    later = "" if not verdict.windows else f"; after that {conclusion(replace(verdict, unprovable={}))}"
    return f"{not_before(verdict.unprovable)}{later}"


def nothing_because(inserts: int, pending: int, until: int | None = None) -> str:
    """Why there was nothing to prove, of so many inserts that could be compared, in an interval up to `until` (ms)."""
    if not inserts:
        return f"{NOTHING}: no result can be compared"
    if pending:
        return f"{NOTHING}: no window is complete, {pending:,} pending"
    where = f" in the interval up to {format_reached(until)}" if until is not None else ""
    return f"{NOTHING}: no complete window{where} has rows"


class Counts(Protocol):
    """The numbers of a verification that its conclusion follows from."""

    @property
    def windows(self) -> int: ...

    @property
    def explained(self) -> int: ...

    @property
    def is_proven(self) -> bool: ...


def conclusion(verdict: Counts) -> str:
    """The conclusion in a few words. Nothing is proven of no windows, and late rows explain only what differs."""
    if not verdict.is_proven:
        return "NOT PROVEN"
    if not verdict.windows:
        return NOTHING
    return "proven: every difference is explained by late rows" if verdict.explained else "proven: no difference"


def _counts(verdict: Verdict | InsertVerdict) -> str:
    return (
        f"{counted(verdict.windows, 'window')}, {verdict.equal:,} equal, {verdict.explained:,} explained by late rows, "
        f"{verdict.unexplained:,} unexplained, {verdict.pending:,} pending"
    )


def unread_lines(files: int, size: int) -> list[str]:
    """The last line, about files that have arrived and that the stream has not read; empty if there are none."""
    if not files:
        return []
    which = f"{counted(files, 'file')} {'has' if files == 1 else 'have'}"
    return [f"{which} arrived that the stream has not read ({counted(size, 'byte')}): their rows are in no window yet"]
