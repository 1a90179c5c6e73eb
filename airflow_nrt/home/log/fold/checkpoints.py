"""Checkpoints: what the fold of a log says after so many entries, so that nobody reads these again to go on.

    checkpoints/16383.json          the state after this entry, and which files are beside it
    checkpoints/0-8191.json.gz      what these entries have read, written once
    checkpoints/8192-16383.json.gz

A checkpoint repeats what the log says. One that is not there, can't be read, or belongs to another log is passed over.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.chapters import CHAPTER
from airflow_nrt.home.log.fold.home_state import HomeState
from airflow_nrt.home.log.fold.inputs import Inputs, inputs_of, joined
from airflow_nrt.home.log.fold.inputs_file import read_inputs, write_inputs
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

DISTANCE = 64 * CHAPTER
"""Entries from one checkpoint to the next. A start reads fewer than twice as many."""
_KEPT = 2
"""How many checkpoints stay: a reader may have found the one before the newest."""
_FORMAT = Format("the checkpoint")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class InputsFile:
    """A file of `size` bytes with what the entries up to `last` have read since the file before it."""

    name: str
    last: int
    size: int
    crc: int


@dataclass(frozen=True)
class Checkpoint:
    """The state after an entry, and the files with what was read up to it, in their order."""

    state: HomeState
    inputs: tuple[InputsFile, ...] = ()


def state_of(log: Log) -> HomeState:
    """The state after the last entry that the log knows. Raises HomeError if an entry can't be read."""
    state = _newest(log).state
    for entry in log.entries(state.entry + 1):
        state = state.apply(entry)
    return state


def read_by(log: Log) -> Inputs:
    """What the entries of the log have read. Raises HomeError if one can't be read."""
    checkpoint, parts = _newest(log), list[Inputs]()
    first = 0
    for file in checkpoint.inputs:
        try:
            parts.append(read_inputs(_directory(log) / file.name, file.crc))
        except HomeError as wrong:
            logger.warning("%s: the log is read instead", wrong)
            parts.append(inputs_of(log.entries(first, file.last)))
        first = file.last + 1
    return joined([*parts, inputs_of(log.entries(first))])


def write_checkpoints(log: Log) -> int:
    """Writes those for which there are enough entries; only for a driver with a lease. Gives the entry from which on
    there is one more to write."""
    checkpoint = _newest(log)
    while (last := checkpoint.state.entry + DISTANCE) <= log.last:
        try:
            checkpoint = _write_next(log, checkpoint, last)
        except OSError as wrong:
            logger.warning("the checkpoint after log entry %s can't be written: %s", last, wrong)
            return log.last + DISTANCE
    return last


def check_checkpoint(log: Log) -> int | None:
    """Compares the newest checkpoint with the log, which is read whole. Gives its entry, None if there is none.

    Raises HomeError if they disagree, or if a file of it can't be read.
    """
    newest, state, first = _newest(log), HomeState(), 0
    for file in newest.inputs:
        entries = list(log.entries(first, file.last))
        if read_inputs(_directory(log) / file.name, file.crc) != inputs_of(entries):
            raise HomeError(f"{_directory(log) / file.name} says something else than the log: take it away")
        for entry in entries:
            state = state.apply(entry)
        first = file.last + 1
    if newest.state != state:
        raise HomeError(
            f"{_directory(log) / f'{newest.state.entry}.json'} says something else than the log: take it away"
        )
    return newest.state.entry if newest.inputs else None


def _write_next(log: Log, before: Checkpoint, last: int) -> Checkpoint:
    directory, first, state = _directory(log), before.state.entry + 1, before.state
    entries = list(log.entries(first, last))
    for entry in entries:
        state = state.apply(entry)
    directory.make()
    name = f"{first}-{last}.json.gz"
    size, crc = write_inputs(directory / name, inputs_of(entries))
    after = Checkpoint(state, (*before.inputs, InputsFile(name, last, size, crc)))
    (directory / f"{last}.json").replace(record_bytes(_FORMAT, after))
    _remove_older(directory, last)
    return after


def _newest(log: Log) -> Checkpoint:
    """The newest checkpoint that is one of this log, and whose files are there; an empty one if there is none."""
    directory = _directory(log)
    for number in sorted(_numbers(directory), reverse=True):
        path = directory / f"{number}.json"
        try:
            found = read_record(path, _FORMAT, Checkpoint)
            if number > log.last or found.state.id != log.read(number).id:
                raise HomeError(f"{path} is of another log")
            _check_sizes(directory, found)
        except FileNotFoundError:
            # A newer one has come, and this one was old.
            continue
        except HomeError as wrong:
            logger.warning("%s: the checkpoint is passed over", wrong)
        else:
            return found
    return Checkpoint(HomeState())


def _check_sizes(directory: StorePath, checkpoint: Checkpoint) -> None:
    for file in checkpoint.inputs:
        path = directory / file.name
        try:
            found = path.seen()
        except OSError as wrong:
            raise HomeError(f"{path} can't be read: {wrong}") from None
        if found is None or found.size != file.size:
            raise HomeError(f"{path} is not what was written there")


def _remove_older(directory: StorePath, last: int) -> None:
    numbers = sorted(number for number in _numbers(directory) if number <= last)
    for number in numbers[:-_KEPT]:
        (directory / f"{number}.json").delete()


def _numbers(directory: StorePath) -> Iterator[int]:
    for path in directory.below(".json"):
        number = number_of(path.stem)
        if number is not None:
            yield number


def _directory(log: Log) -> StorePath:
    return log.directory.parent / "checkpoints"
