"""Splits that the log lists, read again from the source itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.archive.late_files import late_files
from airflow_nrt.engine.archive.needed_pieces import Logged, Needed, needed_pieces
from airflow_nrt.engine.archive.source_archive import BACKFILL, ENTRY, ArchivedRows, SourceArchive
from airflow_nrt.engine.failures.failures import CorruptFileError, explained
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.place import known_files
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE, Tasks
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX
from airflow_nrt.home.log.history.batch_times import brought_in_time
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.input_policies import policies_by_batch
from airflow_nrt.home.log.splits import Split
from airflow_nrt.home.published_again import published_again
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.written.ledger_files import ledger_files
from airflow_nrt.model.input.policy import Policy, policy_of, read_under
from airflow_nrt.model.partition_time import partition_time
from airflow_nrt.model.plan import Plan, Source


@dataclass(frozen=True)
class LoggedSplits(SourceArchive):
    plan: Plan
    source: Source
    history: History
    home: Home

    @property
    def judged_as(self) -> Source:
        return self.source

    @property
    def pieces(self) -> Sequence[Split]:
        return self.history.splits(self.source.name)

    def between(self, spark: SparkSession, start: int, end: int) -> Needed:
        time = partition_time(self.source.table, self.source.zone)
        log = Logged() if time is None else self._logged(spark, start, end)
        return needed_pieces(spark, self.source, time, self.pieces, start, end, log)

    def _logged(self, spark: SparkSession, start: int, end: int) -> Logged:
        """What batches have brought, and their late ledgers."""
        plan, history = self.plan, self.history
        batch_of = history.batch_of(self.source.name)
        batches = dict.fromkeys(batch_of.values())
        others = [n for n in batches if not brought_in_time(plan, history, n, start, end)]
        ledgers = {n: _late_ledgers(plan, self.home.root, history, n) for n in others}
        unsure = {n for n, found in ledgers.items() if not all(ledger.exists() for ledger in found)}
        late = late_files(spark, (ledger for found in ledgers.values() for ledger in found), start, end)
        known, connector = set(others) - unsure, source_of(self.source.table)
        elsewhere = (one for one in self.pieces if batch_of.get(one.name) in known)
        return Logged(
            frozenset(batch_of), frozenset(one.name for one in elsewhere if connector.in_ledger(one) not in late)
        )

    def by_policy(self, pieces: Sequence[Split]) -> Sequence[tuple[SourceArchive, Sequence[Split]]]:
        policies = policies_by_batch(self.source, self.history, self.home.identity().fingerprint)
        batch_of, newest = self.history.batch_of(self.source.name), policy_of(self.source.strict)
        found: list[tuple[Policy, list[Split]]] = [(newest, [])]
        for piece in pieces:
            policy = policies.get(batch_of.get(piece.name, BACKFILL), newest)
            same = next((some for known, some in found if known == policy), None)
            if same is None:
                found.append((policy, same := []))
            same.append(piece)
        read = [one for one in found if one[1]] or found
        return [(replace(self, source=read_under(self.source, policy)), some) for policy, some in read]

    def read(self, spark: SparkSession, pieces: Sequence[Split], tasks: Tasks, numbered: bool) -> ArchivedRows:
        source, history = self.source, self.history
        connector = source_of(source.table)
        whole = [split for split in pieces if not split.corrupt]
        again = published_again(whole, self.home.group)
        usable, problems = connector.readable(spark, source.table, [one for one in whole if one.name not in again])
        lacking = len(usable) + len(again) < len(whole)
        standing = {*(one.name for one in usable), *(name for name in again if Path(name).exists())}
        usable = [one for one in whole if one.name in standing]
        problems += _check_corrupt(spark, source, [split for split in pieces if split.corrupt])
        order = {split.name: n for n, split in enumerate(history.splits(source.name))} if numbered else {}
        numbers = {split.name: order[split.name] for split in usable} if numbered else None
        rows = connector.read(spark, source, ReadRequest(usable, tasks, numbers, schemas=self.home.schemas))
        batch_of = history.batch_of(source.name)
        known = {key: (batch_of.get(split.name, BACKFILL),) for split in usable for key in connector.spellings(split)}
        # What such a file says now is not what its batch has read.
        others = frozenset(batch_of[name] for name in again if name in batch_of)
        return ArchivedRows(
            known_files(rows, known, ENTRY),
            tuple(one for one in usable if one.name not in again and batch_of.get(one.name) not in others),
            others,
            tuple(problems),
            lacking,
            len(again),
        )


def _check_corrupt(spark: SparkSession, source: Source, splits: Sequence[Split]) -> list[str]:
    """The unchanged files that were left out as unreadable, and can be read."""
    connector = source_of(source.table)
    problems = []
    for split in splits:
        try:
            if connector.change_of(split) is None:
                connector.read(spark, source, ReadRequest([split], ONE)).write.format("noop").mode("overwrite").save()
                problems.append(f"the source file {split.name} was left out as unreadable, and can be read")
        except Exception as failure:
            if not isinstance(failure, OSError) and not isinstance(explained(failure), CorruptFileError):
                raise
    return problems


def _late_ledgers(plan: Plan, home: StorePath, history: History, batch: int) -> list[StorePath]:
    """The files in the home with the rows of this batch that were late for an operator; their directory, if it is
    gone."""
    commit = history.batches[batch]
    readers = {operator.name for operator in plan.readers(commit.source)}
    if commit.ledger is None:
        return []
    names = [f"{LATE_PREFIX}{one.operator}" for one in commit.late if one.operator in readers]
    files = ledger_files(home, commit)
    return [file for name in names for file in files.get(name, [home / commit.ledger / name])]
