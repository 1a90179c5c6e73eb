"""Classifies failures in Spark: wrong input, data that can't be computed, an unreadable file, or a passing failure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from traceback import format_exception
from urllib.parse import unquote

from py4j.protocol import Py4JError  # type: ignore[import-untyped]

from airflow_nrt.basics.errors import STOP_MARK, DataError, InputError, NrtError, SurroundingsError
from airflow_nrt.basics.instants import LAST_MINUTE, format_instant
from airflow_nrt.engine.failures.computed import not_computed
from airflow_nrt.engine.failures.known_causes import OUT_OF_MEMORY, cause_of
from airflow_nrt.engine.failures.parquet_types import mismatch
from airflow_nrt.engine.failures.root_cause import chain_of
from airflow_nrt.engine.java.java_process import java_has_ended, said_of_end
from airflow_nrt.home.log.splits import SourceRange, Split
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.origins import Origin
from airflow_nrt.model.plan import Source

_FILE = re.compile(
    r"(?:reading file|file:|path:?) *'?(?:file:)?(/[^\n]*?\.(?:parquet|orc|avro|csv|jsonl?|gz|txt)[^\n ',;]*)"
)
_UNREADABLE = ("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER", "MALFORMED_RECORD_IN_PARSING")
_NAMED = 3
"""The files of a batch that a message names."""
_WINDOW = "in the window that ends at"
"""The words of a message that has named its window."""
_GONE = "FAILED_READ_FILE.FILE_NOT_EXIST"
"""The condition of a file that was removed before it was read. The next listing does not have it."""


class CorruptFileError(DataError):
    """A file can't be read, which is taken for one of a source. `path` is None where Spark does not name it."""

    def __init__(self, path: str | None, reason: str) -> None:
        self.path, self.reason = path, reason
        unfit = mismatch(reason, path)
        super().__init__(
            f"the file {path or '(not named by Spark)'} can't be read: {unfit or f'{reason}. Replace it'}, or set "
            "'source.ignore-corrupt' = 'true' to leave such files out and count them"
        )


def explained(failure: BaseException, origins: Sequence[Origin] = ()) -> NrtError | None:
    """The error with a message for people, None if the failure is unknown. `origins` are those of the plan that ran.

    An error that `passes` is worth a retry; others end the job.
    """
    if isinstance(failure, NrtError):
        return failure
    chain = chain_of(failure)
    stopped = next((one for one in reversed(chain) if STOP_MARK in one.message), None)
    if stopped is not None:
        return not_computed(stopped, origins)
    starved = OUT_OF_MEMORY.of(chain)
    if starved is not None:
        # The file that was being read is not the cause.
        return starved
    for one in chain:
        if one.condition.startswith(_UNREADABLE) and one.condition != _GONE:
            text = str(failure)
            return CorruptFileError(_named_file(text), _root_cause(text) or one.message)
    computed = (not_computed(one, origins) for one in reversed(chain))
    known = next((one for one in computed if one is not None), None) or cause_of(chain)
    if known is None and isinstance(failure, Py4JError) and java_has_ended(within=1.0):
        # The failure of the call does not contain the cause.
        return SurroundingsError(said_of_end())
    if known is None and type(failure).__name__ in ("AnalysisException", "ParseException"):
        return InputError(f"Spark can't run this: {chain[0].message.split(chr(10), 1)[0]}")
    return known


def in_short(failure: BaseException, origins: Sequence[Origin] = ()) -> str:
    """The failure in one line, without a stack trace, for a log that people read."""
    known = explained(failure, origins)
    if known is not None:
        return str(known)
    root = chain_of(failure)[-1]
    kind = root.kind.rpartition(".")[2]
    return f"{kind}: {root.message.split(chr(10), 1)[0][:500]}" if kind else root.message[:500]


def in_full(failure: BaseException) -> str:
    """The failure with the stack traces of Python and Java, for the log of a driver."""
    java = getattr(failure, "_stackTrace", None)
    stack = "".join(format_exception(type(failure), failure, failure.__traceback__))
    return f"{stack}\n{java}" if java else stack


def corrupt_file(
    source: Source,
    splits: Sequence[Split],
    failure: Exception,
    origins: Sequence[Origin] = (),
    row: Callable[[], str] = lambda: "",
) -> str:
    """The unreadable file of a batch in this failure, if the table allows to leave such files out.

    Raises any other failure again; one of a value as DataError that names its `row`, or the batch if that is empty.
    """
    meaning = explained(failure, origins)
    table = source.table if source.table.history is None else source.table.history.table
    allowed = source_option(table.options, "source.ignore-corrupt")
    if isinstance(meaning, CorruptFileError):
        if not allowed or not any(split.name == meaning.path and not split.corrupt for split in splits):
            raise failure
        assert meaning.path is not None
        return meaning.path
    # A malformed line has named its place.
    is_placed = any(_begins_place(split) in str(meaning) for split in splits)
    if isinstance(meaning, DataError) and meaning is not failure and not is_placed:
        names = [split.name for split in splits[:_NAMED]]
        more = f" and {len(splits) - _NAMED} more" if len(splits) > _NAMED else ""
        place = row() or f"The row is in {', '.join(names)}{more}"
        raise DataError(f"{meaning}. {place}") from failure
    raise failure


def _begins_place(split: Split) -> str:
    """How the place of a row of this split begins, for people."""
    return f"{split.part}@" if isinstance(split, SourceRange) else Path(split.name).name


def in_windows(failure: Exception, last: int, origins: Sequence[Origin] = ()) -> DataError | None:
    """The error of a value in windows of which the last one ends then (ms); None if it is another, or has named one."""
    meaning = explained(failure, origins)
    is_of_value = isinstance(meaning, DataError) and not isinstance(meaning, CorruptFileError)
    if not is_of_value or meaning is failure or _WINDOW in str(meaning):
        return None
    which = "fires at the end of the input" if last >= LAST_MINUTE else f"ends at {format_instant(last)} or before"
    return DataError(f"{meaning}. It is in a window that {which}")


def _named_file(text: str) -> str | None:
    match = _FILE.search(text)
    return "/" + unquote(match.group(1)).strip("/").rstrip(".") if match else None


def _root_cause(text: str) -> str | None:
    causes = re.findall(r"Caused by: [\w.$]+: ([^\n]+)", text)
    return causes[-1] if causes else None
