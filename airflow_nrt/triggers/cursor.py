"""How far the windows of a home have been emitted as asset events, in Airflow's asset state store.

A run of the dispatcher claims a range of log entries before it emits. Its asset events are registered together with its
success, so a claim holds if its run succeeded. If the run failed, the next run takes the range again. A run that finds
nothing to emit closes the claim before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.files.decoding import decoded
from airflow_nrt.home.home import Home
from airflow_nrt.home.next_generation import counts_from, formers_of

BEFORE_ALL = -1
_RECENT_MS = 600_000
"""A stream that was started together with its dispatcher publishes before the first look."""


@dataclass(frozen=True)
class Cursor:
    """The run `run` has claimed the entries after `after` up to `until`; '' at the begin, where no run has.

    `home` is the id of the home; '' if there was none yet.
    """

    home: str
    after: int
    until: int
    run: str = ""

    @classmethod
    def at_begin(cls, home: Home | None, catchup: bool, now: int) -> Cursor:
        """Where dispatching begins at the instant `now` (ms): with `catchup` before all entries, else after those of
        more than ten minutes ago. A home that is created later is read whole.
        """
        if home is None:
            return cls("", BEFORE_ALL, BEFORE_ALL)
        old = (entry.n for entry in home.log().backwards() if entry.time < now - _RECENT_MS)
        last = BEFORE_ALL if catchup else next(old, BEFORE_ALL)
        return cls(home.identity().id, last, last)

    @classmethod
    def from_json(cls, content: Any) -> Cursor:
        """Raises InputError for a malformed cursor."""
        try:
            return decoded(content, cls)
        except TypeError as wrong:
            raise InputError(f"the cursor in the asset state store is malformed: {wrong}; delete it there") from None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def of(self, home: Home) -> Cursor:
        """The cursor in this home: the cursor of an earlier home at this location does not count.

        After that of an earlier generation, entries count from which on this one has counted.
        """
        known = home.identity().id
        if self.home == known:
            return self
        if not self.home:
            return replace(self, home=known)
        is_former = any(one.identity().id == self.home for one in formers_of(home))
        last = counts_from(home) - 1 if is_former else BEFORE_ALL
        return Cursor(known, last, last)

    @property
    def is_open(self) -> bool:
        """Whether its windows may still have to be emitted: no later run has confirmed that its run succeeded."""
        return bool(self.run) and self.until > self.after

    def begin(self, succeeded: Callable[[str], bool]) -> int:
        """The entry after which the next run goes on; `succeeded` says of a run whether it emitted its claim."""
        return self.until if not self.run or succeeded(self.run) else self.after
