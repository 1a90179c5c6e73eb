"""What a home keeps for how long, and why: all rules in one place. Everything else stays until the home is removed.

| what | kept | why no longer, or no shorter |
|---|---|---|
| entries of the log, and their ledgers | for ever, or as `home.keep` says | a verification reads them all |
| what an entry has read, and the checkpoint at the floor | for ever | nothing is read twice |
| checkpoints | two | a reader may have found the one before the newest |
| samples of windows | 92 days of them | a curve of three months |
| verdicts | 100 | the page marks windows by them |
| notes of supervising tasks | a day | a task that is silent so long is dead |
| versions of looked-up tables that no entry names | a day | a backfill names its version when it ends |
| rows that a restatement has replaced | as `home.versions.keep` says, at least a day | an undo publishes them again |
| rows that a person has set | as long as the window is pinned | a verification compares them with the table |
| a generation that was left | as `home.generations.keep` says | its results are replaced |
| followers of the log that are not seen | as `home.followers.expire` says | they may come back |

State that no entry refers to any more, and what a driver staged and did not decide, go by the log alone
(`engine/driver/decide/released_state_files.py`, `engine/publish/recovery.py`): no time is in their rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.durations import DAY
from airflow_nrt.model.options.known import (
    FOLLOWERS_EXPIRE,
    KEEP,
    KEEP_GENERATIONS,
    KEEP_VERSIONS,
    REPORT_OPTIONS,
    read_option,
)
from airflow_nrt.model.plan import Plan

CHECKPOINTS = 2
SAMPLED_DAYS = 92
VERDICTS = 100
SUPERVISORS_MS = DAY
UNNAMED_VERSIONS_MS = DAY


@dataclass(frozen=True)
class Keep:
    """How long (ms) a report keeps its history, None for ever, entries for followers that are not seen, the versions
    of windows that a restatement has replaced, and generations that were left."""

    history: int | None
    followers: int
    versions: int = 7 * DAY
    generations: int = 7 * DAY

    @classmethod
    def of(cls, plan: Plan) -> Keep:
        settings = dict(plan.settings)
        names = (KEEP, FOLLOWERS_EXPIRE, KEEP_VERSIONS, KEEP_GENERATIONS)
        return cls(*(read_option(settings, REPORT_OPTIONS, name) for name in names))
