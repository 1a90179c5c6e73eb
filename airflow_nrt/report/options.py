"""The options of tables and of reports: Flink's names, plus this project's own where Flink has none.

An option that is not listed is an error: a misspelt option that is silently ignored shows up at night.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from airflow_nrt.report.durations import HOUR, parse_duration
from airflow_nrt.report.errors import InputError
from airflow_nrt.report.timing import TIMING_OPTIONS
from airflow_nrt.report.zones import read_zone

TIME_ZONE = "table.local-time-zone"
STATE_TTL = "table.exec.state.ttl"
DOMAIN = "attribute-domain."
"""How the options begin that say of a column whether its domain grows."""
UNBOUNDED_STATE = "table.exec.state.unbounded"
_BYTES = re.compile(r"(\d+)\s*(b|bytes|kb?|mb?|gb?|tb?)?", re.IGNORECASE)


@dataclass(frozen=True)
class Option:
    """`read` turns the text into a value and raises ValueError; `default` is a value, `None` where there is none."""

    name: str
    read: Callable[[str], Any]
    default: Any
    meaning: str


def parse_bytes(text: str) -> int:
    """Bytes of `512 mb`, `1g`, `100kb`; a bare number is bytes. Raises ValueError."""
    match = _BYTES.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a size: write for example '512 mb'")
    unit = (match.group(2) or "b")[0].lower()
    factor: int = 1024 ** "bkmgt".index(unit)
    return int(match.group(1)) * factor


def parse_boolean(text: str) -> bool:
    """Raises ValueError for anything but `true` and `false`."""
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{text!r} is neither 'true' nor 'false'")
    return text.lower() == "true"


def _one_of(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.lower() not in names:
            raise ValueError(f"{text!r} is none of {', '.join(map(repr, names))}")
        return text.lower()

    return read


def _positive(text: str) -> int:
    if re.fullmatch(r"[1-9]\d{0,5}", text.strip()) is None:
        raise ValueError(f"{text!r} is not a whole number above 0")
    return int(text)


def _character(text: str) -> str:
    if len(text) != 1:
        raise ValueError(f"{text!r} is not one character")
    return text


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as wrong:
        raise ValueError(f"{text!r} is not a regular expression: {wrong}") from None
    return text


_COMMON = (
    Option("connector", str, None, "filesystem or print"),
    Option("path", str, None, "the directory (or the one file) of the table"),
    Option("format", _one_of("csv", "json", "parquet", "debezium-json"), None, "how a file is written"),
)

_FORMATS = (
    Option("csv.field-delimiter", _character, ",", "the character between two fields"),
    Option("csv.quote-character", _character, '"', "the character around a field that holds a delimiter"),
    Option("csv.disable-quote-character", parse_boolean, False, "no field is quoted"),
    Option("csv.null-literal", str, None, "the text that means NULL"),
    Option("csv.ignore-parse-errors", parse_boolean, False, "a malformed line is rejected and counted, not fatal"),
    Option("json.timestamp-format.standard", _one_of("sql", "iso-8601"), "sql", "how times are written; both are read"),
    Option("debezium-json.schema-include", parse_boolean, False, "a change lies in 'payload', beside its 'schema'"),
    *(
        Option(f"{name}.ignore-parse-errors", parse_boolean, False, "a malformed line is rejected and counted")
        for name in ("json", "debezium-json")
    ),
)

SOURCE_OPTIONS = {
    option.name: option
    for option in (
        *_COMMON,
        *_FORMATS,
        Option("source.monitor-interval", parse_duration, None, "how often to look for new files; without it: bounded"),
        Option("source.path.regex-pattern", _pattern, None, "only files whose whole path matches are read"),
        Option("source.ignore-corrupt", parse_boolean, False, "an unreadable file is rejected and counted, not fatal"),
        Option("source.max-batch-size", parse_bytes, 2 * 1024**3, "the most bytes that one micro-batch reads"),
        Option(
            "partition.time-extractor.timestamp-pattern", str, None, "e.g. '$ds $hh:00:00': the time of a partition"
        ),
        Option("partition.time", _one_of("event", "arrival"), "event", "what the time of a partition means"),
        Option(
            "partition.max-delay", parse_duration, None, "arrival partitions: how long after its rowtime a row comes"
        ),
        Option("partition.missing", _one_of("fail", "ignore"), "fail", "a backfill that misses a partition"),
        Option("scan.watermark.idle-timeout", parse_duration, None, "after this the source does not hold time back"),
        Option("scan.watermark.max-ahead", parse_duration, HOUR, "rows further ahead of the clock are rejected (live)"),
        Option("scan.null-rowtime", _one_of("fail", "skip"), "fail", "a row whose rowtime is NULL"),
    )
}

TIMING = tuple(Option(name, read, None, meaning) for name, (read, meaning) in TIMING_OPTIONS.items())

SINK_OPTIONS = {
    option.name: option
    for option in (
        *_COMMON,
        *TIMING,
        Option("csv.field-delimiter", _character, ",", "the character between two fields"),
        Option("csv.null-literal", str, None, "the text that means NULL"),
        Option("parquet.compression", _one_of("zstd", "snappy", "gzip", "lz4", "none"), "zstd", "compression codec"),
    )
}

REPORT_OPTIONS = {
    option.name: option
    for option in (
        Option(TIME_ZONE, read_zone, "UTC", "the session time zone"),
        Option("table.exec.source.idle-timeout", parse_duration, None, "for sources without their own idle timeout"),
        Option(STATE_TTL, parse_duration, None, "without windows: how long a key that no row touches is remembered"),
        Option(UNBOUNDED_STATE, _one_of("refuse", "allow"), "refuse", "live queries that keep every key for ever"),
        Option("pipeline.name", str, None, "the report's name; default: the file's"),
        Option(
            "execution.runtime-mode",
            _one_of("streaming", "batch", "automatic"),
            "streaming",
            "ignored: the caller chooses",
        ),
        Option("parallelism.default", _positive, None, "number of shuffle partitions"),
        Option("table.exec.emit.early-fire.enabled", parse_boolean, False, "older windows: results before the end"),
        Option("table.exec.emit.early-fire.delay", parse_duration, None, "older windows: how often"),
        Option("table.exec.emit.late-fire.enabled", parse_boolean, False, "older windows: results of late rows"),
        Option("table.exec.emit.late-fire.delay", parse_duration, None, "older windows: how often"),
        Option(
            "table.exec.emit.allow-lateness", parse_duration, None, "older windows; no effect on windowing functions"
        ),
    )
}
"""What a report can set. Flink's settings that could change a result and are not here are refused."""
FLINK_TUNING = (
    "execution.checkpointing.", "state.", "restart-strategy", "table.exec.mini-batch.", "table.exec.resource.",
    "table.optimizer.", "taskmanager.", "jobmanager.", "cluster.", "pipeline.object-reuse",
    "pipeline.max-parallelism", "rest.", "metrics.", "sql-client.",
)  # fmt: skip
"""How the settings begin by which Flink's engine is tuned: accepted in a script, and without effect here."""

SPARK_PREFIX = "spark."
"""`SET 'spark.…'` passes through to the Spark session."""


def is_setting(key: str) -> bool:
    """Whether a report can set it, be it without effect."""
    return key in REPORT_OPTIONS or key.startswith((SPARK_PREFIX, *FLINK_TUNING))


def read_option(options: Mapping[str, str], known: Mapping[str, Option], name: str) -> Any:
    """The value of an option, or its default. The text was checked by `check_options`."""
    return known[name].read(options[name]) if name in options else known[name].default


def source_option(options: Mapping[str, str], name: str) -> Any:
    return read_option(options, SOURCE_OPTIONS, name)


def sink_option(options: Mapping[str, str], name: str) -> Any:
    return read_option(options, SINK_OPTIONS, name)


def check_options(options: Mapping[str, str], known: Mapping[str, Option], where: str) -> None:
    """Raises InputError that names the first unknown option or unreadable value."""
    for name, text in options.items():
        if name.startswith(DOMAIN):
            if text != "constant":
                raise InputError(f"{where}: option {name!r}: {text!r} is not 'constant', the one domain that is known")
            continue
        if name not in known:
            raise InputError(f"{where}: there is no option {name!r}{nearest(name, known)}")
        try:
            known[name].read(text)
        except ValueError as wrong:
            raise InputError(f"{where}: option {name!r}: {wrong}") from None


def nearest(name: str, names: Iterable[str], label: str = "did you mean") -> str:
    """`; did you mean 'x'?`, or nothing if no name is near."""
    near = difflib.get_close_matches(name.lower(), {n.lower(): n for n in names}, n=1, cutoff=0.6)
    original = {n.lower(): n for n in names}
    return f"; {label} {original[near[0]]!r}?" if near else ""
