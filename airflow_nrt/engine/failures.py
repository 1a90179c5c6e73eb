"""What a failure in Spark means: wrong input, data that can't be computed, an unreadable file, or bad luck."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from airflow_nrt.report.entries import SourceFile
from airflow_nrt.report.errors import STOP_MARK, DataError, InputError, NrtError
from airflow_nrt.report.options import source_option
from airflow_nrt.report.plan import Source

_CONDITION = re.compile(r"\[([A-Z][A-Z_0-9.]+)\] ([^\n]*)")
_FILE = re.compile(r"(?:reading file|file:|path:?) *'?(?:file:)?(/[^\n]*?\.(?:parquet|csv|jsonl?|gz|txt)[^\n ',;]*)")
_FINAL = (
    "USER_RAISED_EXCEPTION",
    "ARITHMETIC_OVERFLOW",
    "BINARY_ARITHMETIC_OVERFLOW",
    "DIVIDE_BY_ZERO",
    "REMAINDER_BY_ZERO",
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "NUMERIC_VALUE_OUT_OF_RANGE",
    "CANNOT_PARSE_TIMESTAMP",
    "INVALID_ARRAY_INDEX",
)
_UNREADABLE = ("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER", "MALFORMED_RECORD_IN_PARSING")
_GONE = "FAILED_READ_FILE.FILE_NOT_EXIST"
"""A file that was taken away before it was read is no longer there when the directory is listed again."""


class CorruptFileError(DataError):
    """A file of a source can't be read. `path` is None where Spark does not name it."""

    def __init__(self, path: str | None, reason: str) -> None:
        self.path = path
        super().__init__(
            f"the file {path or '(not named by Spark)'} can't be read: {reason}. Replace it, or set "
            "'source.ignore-corrupt' = 'true' to leave such files out and count them"
        )


def explained(failure: BaseException) -> NrtError | None:
    """The failure in words that end it for good; None for one that may pass if it is tried again."""
    if isinstance(failure, NrtError):
        return failure
    text = str(failure)
    if STOP_MARK in text:
        return DataError(text.split(STOP_MARK, 1)[1].split("\n", 1)[0].removesuffix(" SQLSTATE: P0001"))
    conditions = _CONDITION.findall(text)
    for name, message in conditions:
        if name.startswith(_UNREADABLE) and name != _GONE:
            return CorruptFileError(_named_file(text), _root_cause(text) or message)
    for name, message in conditions:
        if name.split(".")[0] in _FINAL:
            return DataError(re.sub(r" SQLSTATE: \w+$", "", message))
    if any(name == "PATH_NOT_FOUND" for name, _ in conditions):
        return None
    if type(failure).__name__ in ("AnalysisException", "ParseException"):
        return InputError(f"Spark can't run this: {text.split(chr(10), 1)[0]}")
    return None


def corrupt_file(source: Source, files: Sequence[SourceFile], failure: Exception) -> str:
    """The file of a batch that this failure names as unreadable, where the table allows to leave such files out.

    Raises the failure again where it is something else.
    """
    meaning = explained(failure)
    if not isinstance(meaning, CorruptFileError) or not source_option(source.table.options, "source.ignore-corrupt"):
        raise failure
    if not any(file.path == meaning.path and not file.corrupt for file in files):
        raise failure
    assert meaning.path is not None
    return meaning.path


def without(files: Sequence[SourceFile], path: str) -> list[SourceFile]:
    """The files with one of them marked as corrupt."""
    return [replace(file, corrupt=file.corrupt or file.path == path) for file in files]


def _named_file(text: str) -> str | None:
    match = _FILE.search(text)
    return "/" + unquote(match.group(1)).strip("/").rstrip(".") if match else None


def _root_cause(text: str) -> str | None:
    causes = re.findall(r"Caused by: [\w.$]+: ([^\n]+)", text)
    return causes[-1] if causes else None
