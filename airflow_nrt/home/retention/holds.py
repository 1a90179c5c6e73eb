"""What retention stops at: entries that somebody still needs. The reasons are for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.files.decoding import parse_json
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.entries import Restate
from airflow_nrt.home.log.fold.checkpoints import state_of
from airflow_nrt.home.log.fold.settled import settled_until
from airflow_nrt.home.log.home_state import HomeState
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.older_entries import KNOW_A_FLOOR
from airflow_nrt.home.notes.followers import followers_of
from airflow_nrt.home.notes.verdicts import KeptVerdict, kept_verdicts
from airflow_nrt.home.retention.removal import Removal

Marks = Callable[[], Mapping[str, int]]
"""By insert whose table follows the log, the entry up to which the table has its results."""


@dataclass(frozen=True)
class Needs:
    """What keeps entries. `is_filling`: whether tables that were added to the report still lack windows."""

    home: Home
    log: Log
    keep: Keep
    marks: Marks
    is_filling: Callable[[], bool]

    def knows_volumes(self) -> bool:
        """Whether the newest driver knows of volumes and of a floor: one that does not could go on beside them."""
        for n in range(self.log.last, self.log.first - 1, -1):
            entry = parse_json(self.log.content(n))
            if entry.get("epoch") is not None:
                return bool(entry.get("format", 1) >= KNOW_A_FLOOR)
        return False

    def of_home(self) -> str | None:
        """Why nothing at all may go now, None if nothing needs everything."""
        if not self.knows_volumes():
            return "an older version drove the home last: start its driver with this one"
        state = state_of(self.log)
        if not any(one.files for one in state.position.sources.values()):
            return "no stream has read anything here"
        for operator, end in state.suspects.items():
            return (
                f"the carried state of operator {operator} is in doubt for windows up to {format_instant(end)}: verify "
                "them once they are complete"
            )
        if self.is_filling():
            return "a table that was added to the report is not filled yet"
        return None

    def of_entries(self, removal: Removal) -> str | None:
        """Why these entries may not go, None if nobody needs them."""
        return next(self._reasons(removal), None)

    def _reasons(self, removal: Removal) -> Iterator[str]:
        last = removal.last
        if settled_until(self.log) < last:
            yield f"not all results up to log entry {last} are known to be published"
        for follower in followers_of(self.home, self.keep.followers):
            if follower.entry <= last:
                yield f"{follower.name} needs the log from entry {follower.entry} on"
        yield from _unsettled(removal, list(kept_verdicts(self.home, {}).values()))
        yield from _open_versions(removal, state_of(self.log))
        for insert, mark in self.marks().items():
            if mark < removal.beginning.results.get(insert, -1):
                yield f"the table of {insert} has its results only up to log entry {mark}"


def _unsettled(removal: Removal, verdicts: list[KeptVerdict]) -> Iterator[str]:
    """Doubts about windows that no later verification has found to be right."""
    for entry in removal.entries:
        for operator, end in entry.body.suspects.items() if isinstance(entry.body, Restate) else ():
            settled = (
                one.proven and one.entry > entry.n and (one.start is None or one.start < end) and _reaches(one, end)
                for one in verdicts
            )
            if not any(settled):
                yield (
                    f"log entry {entry.n} doubts windows of operator {operator} up to {format_instant(end)}, and no "
                    "verification has proven them since"
                )


def _reaches(verdict: KeptVerdict, end: int) -> bool:
    return verdict.end is None or verdict.end >= end


def _open_versions(removal: Removal, state: HomeState) -> Iterator[str]:
    standing = {name: set(one.standing) for name, one in state.position.versions.items()}
    for entry in removal.entries:
        for one in entry.published:
            if one.end in standing.get(one.insert, ()):
                yield f"log entry {entry.n} published a window of {one.insert} that may still change"
