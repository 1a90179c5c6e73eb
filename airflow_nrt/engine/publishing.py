"""From a decided entry to what readers see: publishing in the order of the log, and rolling forward after a crash."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sampling.windows import sample_entry
from airflow_nrt.engine.sinks import filesystem, sink_of
from airflow_nrt.report.entries import Entry, Published, Restate
from airflow_nrt.report.file_numbers import number_of
from airflow_nrt.report.home import Home
from airflow_nrt.report.log import Log
from airflow_nrt.report.plan import Plan

Then = Callable[[Published], None]
"""What is called with each file that is visible now."""


def publish_entry(home: Home, plan: Plan, entry: Entry, then: Then = lambda published: None) -> None:
    """Makes everything that an entry decided visible. Calling it again changes nothing."""
    newer = {_place(one) for later in _behind(home, entry) for one in later.published} if entry.removed else set()
    _publish(home, plan, entry, [target for target in entry.removed if target not in newer], then)


def _publish(home: Home, plan: Plan, entry: Entry, gone: Iterable[str], then: Then = lambda published: None) -> None:
    reach("publish-before")
    for published in sorted(entry.published, key=lambda one: (one.end or 0, one.insert)):
        insert = plan.insert(published.insert)
        sink_of(insert).publish(home, insert, published)
        then(published)
        reach("publish-between")
    for target in gone:
        name, _, path = target.partition("/")
        filesystem.remove(plan.insert(name), (path,))
    for directory in {Path(published.staged).parts[1] for published in entry.published}:
        shutil.rmtree(home.staged / directory, ignore_errors=True)
    # Behind all that readers of the sinks wait for.
    sample_entry(home, plan, entry)
    reach("publish-after")


def _behind(home: Home, entry: Entry) -> Iterator[Entry]:
    """The entries that were written since."""
    return home.log().entries(entry.n + 1)


def roll_forward(home: Home, plan: Plan, log: Log, *, beside_driver: bool = False) -> None:
    """Publishes what entries decided and nobody has published: their staged files are still there.

    What was removed leaves no trace in the home, so it is removed again; but not what a driver has removed that may be
    alive, and may be publishing the same place again.
    """
    waiting = {path.name for path in home.staged.iterdir()} if home.staged.exists() else set()
    later: set[str] = set()
    again = []
    for entry in log.backwards():
        is_mine = not beside_driver or isinstance(entry.body, Restate)
        gone = [target for target in entry.removed if is_mine and target not in later]
        if gone or any(Path(published.staged).parts[1] in waiting for published in entry.published):
            again.append((entry, gone))
        later.update(map(_place, entry.published), entry.removed)
    for entry, gone in reversed(again):
        _publish(home, plan, entry, gone)


def _place(published: Published) -> str:
    return f"{published.insert}/{published.target}"


def remove_orphans(home: Home, log: Log, epoch: int, referenced: Iterable[str]) -> None:
    """Takes away what drivers of older epochs wrote and no entry refers to."""
    keep = set(referenced)
    for directory in home.staged.iterdir():
        if _is_older(directory.name, epoch):
            shutil.rmtree(directory, ignore_errors=True)
    for operator in home.state.iterdir():
        for directory in operator.iterdir():
            if _is_older(directory.name, epoch) and str(directory.relative_to(home.path)) not in keep:
                shutil.rmtree(directory, ignore_errors=True)
    for directory in home.scratch.iterdir():
        if _is_older(directory.name, epoch):
            shutil.rmtree(directory, ignore_errors=True)


def _is_older(name: str, epoch: int) -> bool:
    """Names begin with the epoch of their writer; a restatement's begin with `restate`."""
    writer = number_of(name.partition("-")[0])
    return writer is not None and writer < epoch
