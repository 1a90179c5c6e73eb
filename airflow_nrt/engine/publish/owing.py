"""What a driver owes to sinks that do not answer: their results wait below the home, and everything else goes on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.home.log.entries import Entry, Fill
from airflow_nrt.model.plan import Insert

MOST_SECONDS = 30
"""The longest wait between two attempts to reach a sink."""
Attempt = Callable[[Insert, Entry, Callable[[], None]], bool]
"""Does something that an entry has decided for an insert; gives whether it is done, or is owed."""

log = logging.getLogger(__name__)


def at_once(insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
    """Does it now. Raises UnreachableError if the server does not answer."""
    action()
    return True


@dataclass
class _Debt:
    """The entries that are owed, by number, and when the sink is asked again (seconds of the driver's clock)."""

    failure: UnreachableError
    next: float
    entries: dict[int, Entry]


def _first(entry: Entry) -> int:
    """The first entry whose results a table lacks, as long as it is owed this one."""
    return entry.body.since if isinstance(entry.body, Fill) else entry.n


class Owing:
    """The debts of one driver, by insert. An insert's entries are published in the order of the log.

    `clock` gives seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._debts: dict[str, _Debt] = {}
        self._times: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._debts)

    def __str__(self) -> str:
        """What it waits for."""
        lines = (
            f"{one.failure}; the results of {len(one.entries)} entries for {name} wait below the home"
            for name, one in self._debts.items()
        )
        return "; ".join(lines)

    @property
    def first(self) -> dict[str, int]:
        """By insert, the first entry that is owed. None is where a sink does not answer and has got all so far."""
        return {name: min(map(_first, one.entries.values())) for name, one in self._debts.items() if one.entries}

    def attempt(self, insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
        """An `Attempt`. It is owed if the server does not answer, or if earlier entries are owed."""
        debt = self._debts.get(insert.name)
        if debt is not None:
            debt.entries[entry.n] = entry
            return False
        try:
            action()
        except Exception as failure:
            gone = explained(failure)
            if not isinstance(gone, UnreachableError):
                raise
            self.hold(insert, gone, [entry])
            return False
        return True

    def hold(self, insert: Insert, gone: UnreachableError, entries: Sequence[Entry] = ()) -> None:
        """Publishes nothing to a sink that does not answer, until it is asked again. These entries are owed."""
        times = self._times.get(insert.name, 0) + 1
        self._times[insert.name] = times
        seconds = min(2 ** (times - 1), MOST_SECONDS)
        log.warning("waiting %s s for the sink of %s: %s", seconds, insert.name, gone)
        self._debts[insert.name] = _Debt(gone, self._clock() + seconds, {one.n: one for one in entries})

    def due(self) -> Iterator[tuple[str, list[Entry]]]:
        """The inserts whose sinks are to be asked again, each with its entries in their order, which are owed no more.

        What follows must `attempt` all of them, in their order.
        """
        for name in [name for name, one in self._debts.items() if one.next <= self._clock()]:
            entries = self._debts.pop(name).entries
            yield name, [entries[n] for n in sorted(entries)]

    def settled(self, insert: Insert) -> None:
        """Notes that the sink answers again, unless it has ceased to meanwhile."""
        if insert.name not in self._debts and self._times.pop(insert.name, None) is not None:
            log.warning("the sink of %s answers again: its results are published", insert.name)
