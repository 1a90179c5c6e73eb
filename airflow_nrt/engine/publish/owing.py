"""What a driver owes to sinks that do not answer: their results wait below the home, and everything else goes on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from airflow_nrt.basics.durations import HOUR
from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.failures.refusals import Refusals
from airflow_nrt.engine.failures.servers import AWAY, LockedError
from airflow_nrt.home.log.entries import Entry, Fill
from airflow_nrt.model.plan import Insert

MOST_SECONDS = 30
"""The longest wait between two attempts to reach a sink, unless an attempt itself takes longer."""
LOCKED_TIMES = 6
"""How often who can't owe, such as a backfill, waits for a lock."""
Attempt = Callable[[Insert, Entry, Callable[[], None]], bool]
"""Does something that an entry has decided for an insert; gives whether it is done, or is owed."""

log = logging.getLogger(__name__)


def at_once(insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
    """Does it now. It waits for a lock several times. Raises UnreachableError if the server does not answer."""
    for attempt in range(LOCKED_TIMES):
        try:
            action()
            break
        except LockedError as locked:
            if attempt == LOCKED_TIMES - 1:
                raise
            log.warning("trying again: %s", locked)
    return True


def held(insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
    """Leaves it undone: nobody is to see results of a generation that does not count yet."""
    return False


@dataclass
class _Debt:
    """The entries that are owed, by number, and when the sink is asked again (seconds of the driver's clock)."""

    failure: NrtError
    next: float
    entries: dict[int, Entry]


def _first(entry: Entry) -> int:
    """The first entry whose results a table lacks, as long as it is owed this one."""
    return entry.body.since if isinstance(entry.body, Fill) else entry.n


class Owing:
    """The debts of one driver, by insert. An insert's entries are published in the order of the log.

    A server that refuses the login is waited for `most_refused` milliseconds. `clock` gives seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, most_refused: int = HOUR) -> None:
        self._clock = clock
        self._refusals = Refusals(most_refused, clock)
        self._rest = clock()
        self._begun: dict[str, float] = {}
        self._debts: dict[str, _Debt] = {}
        self._times: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._debts)

    def __str__(self) -> str:
        """What it waits for."""
        lines = (
            [str(one.failure), f"the results of {counted(len(one.entries), 'entry')} for {name} wait below the home"]
            + [left for left in [self._refusals.left(name)] if left]
            for name, one in self._debts.items()
        )
        return "; ".join(map("; ".join, lines))

    @property
    def first(self) -> dict[str, int]:
        """By insert, the first entry that is owed. None is where a sink does not answer and has got all so far."""
        return {name: min(map(_first, one.entries.values())) for name, one in self._debts.items() if one.entries}

    def attempt(self, insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
        """An `Attempt`. It is owed if the server does not answer or refuses, or if earlier entries are owed.

        Raises OutdatedLoginError if the server has refused the login for too long.
        """
        debt = self._debts.get(insert.name)
        if debt is not None:
            debt.entries[entry.n] = entry
            return False
        self._begun.setdefault(insert.name, self._clock())
        try:
            action()
        except Exception as failure:
            gone = explained(failure)
            if not isinstance(gone, AWAY):
                raise
            self.hold(insert, gone, [entry])
            return False
        self._begun.pop(insert.name, None)
        return True

    def hold(self, insert: Insert, gone: NrtError, entries: Sequence[Entry] = ()) -> None:
        """Publishes nothing to a sink that does not answer, until it is asked again. These entries are owed.

        Raises OutdatedLoginError.
        """
        now = self._clock()
        took = now - self._begun.pop(insert.name, now)
        # A server that answers slowly has half of the driver's time, and other work the other half.
        self._rest = now + took
        times = self._times.get(insert.name, 0) + 1
        self._times[insert.name] = times
        seconds = max(min(2 ** (times - 1), MOST_SECONDS), took)
        log.warning("waiting %.0f s for the sink of %s: %s", seconds, insert.name, gone)
        self._debts[insert.name] = _Debt(gone, now + seconds, {one.n: one for one in entries})
        self._refusals.meet(insert.name, gone)

    def due(self) -> Iterator[tuple[str, list[Entry]]]:
        """The inserts whose sinks are to be asked again, each with its entries in their order, which are owed no more.

        What follows must `attempt` all of them, in their order.
        """
        for name in [name for name, one in self._debts.items() if one.next <= self._clock()]:
            if self._clock() < self._rest:
                return
            entries = self._debts.pop(name).entries
            self._begun[name] = self._clock()
            yield name, [entries[n] for n in sorted(entries)]

    def settled(self, insert: Insert) -> None:
        """Notes that the sink answers again, unless it has ceased to meanwhile."""
        if insert.name in self._debts:
            return
        self._begun.pop(insert.name, None)
        self._refusals.end(insert.name)
        if self._times.pop(insert.name, None) is not None:
            log.warning("the sink of %s answers again: its results are published", insert.name)
