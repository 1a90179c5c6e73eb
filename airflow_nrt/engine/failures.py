"""What a failure in Spark means: wrong input, data that can't be computed, an unreadable file, or bad luck."""

from __future__ import annotations

import re

from airflow_nrt.engine.time.accept import STOP_MARK
from airflow_nrt.report.errors import DataError, InputError, NrtError

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
        if name.startswith(_UNREADABLE):
            return CorruptFileError(_named_file(text), _root_cause(text) or message)
    for name, message in conditions:
        if name.split(".")[0] in _FINAL:
            return DataError(re.sub(r" SQLSTATE: \w+$", "", message))
    if type(failure).__name__ in ("AnalysisException", "ParseException"):
        return InputError(f"Spark can't run this: {text.split(chr(10), 1)[0]}")
    return None


def _named_file(text: str) -> str | None:
    match = _FILE.search(text)
    return match.group(1).rstrip(".") if match else None


def _root_cause(text: str) -> str | None:
    causes = re.findall(r"Caused by: [\w.$]+: ([^\n]+)", text)
    return causes[-1] if causes else None
