"""Checkpoints: what the fold of a log says after so many entries, so that nobody reads these again to go on.

    checkpoints/16383.json          the state after this entry, and which files are beside it
    checkpoints/0-8191.json.gz      what these entries have read, written once
    checkpoints/8192-16383.json.gz

A checkpoint repeats what the log says. One that is not there, can't be read, or belongs to another log is passed over.
The one at the floor of the log (`floor.py`) repeats what nothing else says any more, so it has to be there.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.formats import Format
from airflow_nrt.home.kept import CHECKPOINTS
from airflow_nrt.home.log.checkpoint import Checkpoint, InputsFile
from airflow_nrt.home.log.entries import Entry
from airflow_nrt.home.log.fold.inputs import Inputs, SourceInputs, inputs_of, joined
from airflow_nrt.home.log.fold.inputs_file import read_inputs, write_inputs
from airflow_nrt.home.log.fold.noted_state import STEP, note_state, noted_state
from airflow_nrt.home.log.home_state import HomeState
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.volumes import VOLUME
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

DISTANCE = VOLUME
"""Entries from one checkpoint to the next. A start reads fewer than twice as many."""
_FORMAT = Format("the checkpoint")

logger = logging.getLogger(__name__)


def state_of(log: Log) -> HomeState:
    """The state after the last entry that the log knows. Raises HomeError if an entry can't be read."""
    # A home that has lost what is left of removed entries is refused.
    log.beginning()
    state = noted_state(log)
    if state is None or state.entry + DISTANCE <= log.last:
        state = max(newest_checkpoint(log).state, state or HomeState(), key=attrgetter("entry"))
    for entry in log.entries(state.entry + 1):
        state = state.apply(entry)
    return state


def read_by(log: Log) -> Inputs:
    """What the entries of the log have read. Raises HomeError if one can't be read."""
    checkpoint, parts = newest_checkpoint(log), list[Inputs]()
    first = 0
    for file in checkpoint.inputs:
        try:
            parts.append(read_inputs(_directory(log) / file.name, file.crc))
        except HomeError as wrong:
            if file.last < log.first:
                raise HomeError(
                    f"{wrong}. The log entries that said the same are removed: put the file back from a copy "
                    "of the home"
                ) from None
            logger.warning("%s: the log is read instead", wrong)
            parts.append(inputs_of(log.entries(first, file.last)))
        first = file.last + 1
    return joined([*parts, inputs_of(log.entries(first))])


def read_below(log: Log) -> Mapping[str, SourceInputs]:
    """By source, what the entries below the floor of the log have read. Raises HomeError if a file with it can't be
    read."""
    parts = (read_inputs(_directory(log) / file.name, file.crc) for file in log.beginning().checkpoint.inputs)
    return joined(parts).sources


def write_checkpoints(log: Log) -> int:
    """Writes those for which there are enough entries, and notes the state; only for a driver with a lease. Gives the
    entry from which on there is more to write."""
    checkpoint = newest_checkpoint(log)
    while (last := checkpoint.state.entry + DISTANCE) <= log.last:
        try:
            checkpoint = _write_next(log, checkpoint, last)
        except OSError as wrong:
            logger.warning("the checkpoint after log entry %s can't be written: %s", last, wrong)
            return log.last + DISTANCE
    # After the checkpoints: the first driver of an older home would else read all of its log once more.
    note_state(log, state_of(log))
    return min(last, log.last + STEP)


def check_checkpoint(log: Log) -> int | None:
    """Compares the newest checkpoint, and the noted state, with the log, which is read whole. Gives the entry of the
    checkpoint, None if there is none.

    Raises HomeError if they disagree, or if a file of it can't be read.
    """
    floor, newest, noted = log.beginning().checkpoint, newest_checkpoint(log), noted_state(log)
    state, first = floor.state, log.first
    for file in floor.inputs:
        read_inputs(_directory(log) / file.name, file.crc)
    for file in newest.inputs[len(floor.inputs) :]:
        entries = list(log.entries(first, file.last))
        check_inputs(log, [file], entries)
        for entry in entries:
            state = _checked(log, state.apply(entry), noted)
        first = file.last + 1
    if newest.state != state:
        raise HomeError(
            f"{_directory(log) / f'{newest.state.entry}.json'} says something else than the log: take it away"
        )
    for entry in log.entries(first):
        state = _checked(log, state.apply(entry), noted)
    return newest.state.entry if newest.inputs else None


def _checked(log: Log, state: HomeState, noted: HomeState | None) -> HomeState:
    if noted is not None and noted.entry == state.entry and noted != state:
        raise HomeError(f"{_directory(log) / 'state.json'} says something else than the log: take it away")
    return state


def check_inputs(log: Log, files: Iterable[InputsFile], entries: Sequence[Entry]) -> None:
    """Compares what files say with the entries that they are of. Raises HomeError if they disagree, or if one can't be
    read."""
    left = list(entries)
    for file in files:
        mine = [entry for entry in left if entry.n <= file.last]
        left = left[len(mine) :]
        if read_inputs(_directory(log) / file.name, file.crc) != inputs_of(mine):
            raise HomeError(f"{_directory(log) / file.name} says something else than the log: take it away")


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


def newest_checkpoint(log: Log) -> Checkpoint:
    """The newest checkpoint that is one of this log, and whose files are there; the one at its floor if there is none,
    which is empty where all entries stand. Raises HomeError if that can't be read."""
    directory, floor = _directory(log), log.beginning().checkpoint
    for number in sorted((one for one in _numbers(directory) if one >= log.first), reverse=True):
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
    return floor


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
    for number in numbers[:-CHECKPOINTS]:
        (directory / f"{number}.json").delete()


def _numbers(directory: StorePath) -> Iterator[int]:
    for path in directory.below(".json"):
        number = number_of(path.stem)
        if number is not None:
            yield number


def _directory(log: Log) -> StorePath:
    return log.directory.parent / "checkpoints"
