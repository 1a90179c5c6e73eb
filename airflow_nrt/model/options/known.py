"""The options of tables and of reports: Flink's names, plus this project's own where Flink has none.

An option that is not listed is an error: a misspelt option that is silently ignored shows up at night.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_nrt.basics.durations import DAY, HOUR, parse_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.java_sources import SPEED_RULES
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.model.arithmetic_errors import ARITHMETIC_ERRORS
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.flink_settings import IDLE_SETTINGS, OTHER_SETTINGS
from airflow_nrt.model.options.flink_table_options import IDLE_OPTIONS, OTHER_OPTIONS
from airflow_nrt.model.options.foreign_options import answer
from airflow_nrt.model.options.lookups import LOOKUP_OPTIONS
from airflow_nrt.model.options.option import (
    Option,
    a_while,
    character,
    delimiter,
    free,
    many,
    named,
    nothing,
    of_policy,
    one_of,
    parse_boolean,
    parse_bytes,
    pattern,
    positive,
    that_it_is_set,
)
from airflow_nrt.model.options.rows_and_share import RowsAndShare
from airflow_nrt.model.result_timing import TIMING_OPTIONS
from airflow_nrt.model.zones import read_zone

TIME_ZONE = "table.local-time-zone"
FIRST_DAY_OF_WEEK = "table.exec.window.first-day-of-week"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
STATE_TTL = "table.exec.state.ttl"
DOMAIN = "attribute-domain."
"""Prefix of the options that say whether the domain of a column grows."""
LIVE = "source.monitor-interval"
"""The option that makes a source wait for more rows."""
ARCHIVE, ARCHIVE_WRITE = "archive", "archive.write"
"""The options that name the archive of a source, and say whether the stream writes it."""
NOT_NULL = "table.exec.sink.not-null-enforcer"
FOLLOW_LINKS = "source.follow-links"
CLOSE_AFTER = "source.close-directories-after"
MAX_ELEMENTS = "source.max-line-elements"
UNFIT_DECIMALS = "scan.unfit-decimals"
NULL_ROWTIME = "scan.null-rowtime"
REJECTED_LIMIT, REJECTED_TABLE = "source.rejected.limit", "source.rejected.table"
UNBOUNDED_STATE = "table.exec.state.unbounded"
REFUSED_TIMEOUT = "sink.refused-timeout"
KEEP = "home.keep"
"""The option that says how long the entries of a home and their ledgers stay."""
FOLLOWERS_EXPIRE = "home.followers.expire"
KEEP_VERSIONS = "home.versions.keep"
"""The option that says how long the rows stay that a restatement replaces."""
KEEP_GENERATIONS = "home.generations.keep"
"""The option that says how long a generation stays that was left."""
MAX_SCRIPT = "script.max-size"
MAX_NODES = "plan.max-nodes"
MOST_SAMPLED = 100
CODECS = ("zstd", "snappy", "gzip", "lz4", "uncompressed", "none")
FORMATS = ("csv", "json", "parquet", *CHANGE_FORMATS, "raw", "orc", "avro")
"""The formats of files. The options of a format begin with its name."""


def _sampled_keys(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_SAMPLED:
        raise ValueError(f"{text!r} is no whole number from 0 to {MOST_SAMPLED}")
    return int(text)


def _constant(text: str) -> str:
    if text != "constant":
        raise ValueError(f"{text!r} is not 'constant', the one domain that is known")
    return text


_IGNORE = "A field that can't be parsed becomes NULL; a line that can't be parsed is rejected. Both are counted."
_FILES = (
    Option("path", str, None, "the directory (or the one file) of the table"),
    Option("format", one_of(*FORMATS), None, "how a file is written"),
)

FORMAT_OPTIONS = (
    Option("csv.field-delimiter", delimiter, ",", r"the character between two fields; '\t' is a tab"),
    Option("csv.quote-character", character, '"', "the character around a field that holds a delimiter"),
    Option("csv.null-literal", str, None, "the text that means NULL"),
    *(
        Option(
            f"{name}.timestamp-format.standard",
            one_of("sql", "iso-8601"),
            "sql",
            "how times are written; both are read",
        )
        for name in ("json", *CHANGE_FORMATS)
    ),
    Option("raw.charset", one_of("utf-8", "us-ascii", "iso-8859-1"), "utf-8", "the charset of a text"),
    Option(
        "raw.endianness",
        one_of("big-endian", "little-endian"),
        "big-endian",
        "the order of the bytes of a number, in records",
    ),
)
READING_OPTIONS = (
    Option("csv.disable-quote-character", parse_boolean, False, "no field is quoted (a source)"),
    Option("csv.escape-character", character, None, "the one before a delimiter or a quote that is text (a source)"),
    Option("csv.array-element-delimiter", character, ";", "the character between two values of an ARRAY or a ROW"),
    Option("csv.allow-comments", parse_boolean, False, "lines that begin with `#` are skipped"),
    *(option for form in CHANGE_FORMATS.values() for option in form.options),
    *of_policy(
        Option("json.fail-on-missing-field", parse_boolean, False, "a line without a field that is read is malformed"),
        *(
            Option(f"{name}.ignore-parse-errors", parse_boolean, False, _IGNORE)
            for name in ("csv", "json", *CHANGE_FORMATS)
        ),
        Option(
            "raw.ignore-parse-errors",
            parse_boolean,
            False,
            "A line that is too long, or a number of another size, is rejected and counted. Flink has no such option.",
        ),
    ),
)
_WRITING = (
    *(
        Option(f"{name}.encode.ignore-null-fields", parse_boolean, False, "a field that is NULL is left out")
        for name in ("json", *CHANGE_FORMATS)
    ),
    Option("parquet.compression", one_of(*CODECS), "zstd", "compression codec"),
    *free(
        Option(
            "sink.unfit-partitions",
            one_of("fail", "hash"),
            "fail",
            "a partition whose value can't name a directory (over 255 bytes, NUL): by 'hash' a hash names it",
        ),
        Option("sink.sample", _sampled_keys, 20, "how many keys of a window the home keeps for its page; 0: no sample"),
    ),
)

EVERY_SOURCE = (
    Option("connector", str, None, "filesystem or print"),
    Option(
        LIVE,
        parse_duration,
        None,
        "how often to look for new files; without it: bounded",
        decides=that_it_is_set,
    ),
    Option("scan.watermark.max-ahead", parse_duration, HOUR, "rows further ahead of the clock are rejected (live)"),
    *of_policy(Option(NULL_ROWTIME, one_of("fail", "skip"), "fail", "a row whose rowtime is NULL")),
    *free(
        Option("source.max-batch-size", parse_bytes, 2 * 1024**3, "the most bytes that one micro-batch reads"),
        Option("scan.watermark.idle-timeout", parse_duration, None, "after this the source does not hold time back"),
        *of_policy(
            Option(
                UNFIT_DECIMALS,
                one_of("null", "fail"),
                "null",
                "a number of csv, json or avro that does not fit its DECIMAL: by 'null' the field is NULL, and counted",
            ),
            Option(
                REJECTED_LIMIT,
                RowsAndShare.read,
                None,
                "so many rows of a day that can't be read are rejected, where no other option decides; more are an "
                "error. Default: '100, 0.1 %' for a live source, '0' for others",
                of_older="0",
            ),
        ),
        Option(REJECTED_TABLE, str, None, "a table that also gets the rows that are rejected"),
        Option(f"{DOMAIN}*", _constant, None, "of a column: whether its values grow without end"),
    ),
)
"""Options of sources, whatever their connector is."""

ARCHIVE_OPTIONS = (
    Option(ARCHIVE, str, None, "a table with what the stream has read, for backfill and verification"),
    Option(ARCHIVE_WRITE, parse_boolean, True, "whether the stream writes it; else others do"),
)
"""Options of sources that don't keep what was read."""

LINE_ELEMENTS = Option(
    MAX_ELEMENTS,
    many,
    250_000,
    "a line of json with more elements of arrays and fields of objects is malformed",
    decides=nothing,
    of_older="999999999",
    of_policy=True,
)
"""Of sources with lines or records of json."""

SOURCE_OPTIONS = named(
    (
        *EVERY_SOURCE,
        *_FILES,
        *FORMAT_OPTIONS,
        *READING_OPTIONS,
        *of_policy(
            Option(
                "avro.ignore-parse-errors",
                parse_boolean,
                False,
                "A value beyond its type becomes NULL, and is counted. Flink has no such option, and fails.",
            )
        ),
        Option("source.path.regex-pattern", pattern, None, "only files whose whole path matches are read"),
        *free(
            Option(
                "source.ignore-corrupt", parse_boolean, False, "an unreadable file is rejected and counted, not fatal"
            ),
            Option(
                "source.unreadable-files", one_of("wait", "fail"), "wait", "what becomes of one that can't be opened"
            ),
            Option(
                CLOSE_AFTER,
                a_while,
                None,
                "a directory into which nothing new has come for so long, all of it read, is not looked at any more",
            ),
            Option(
                FOLLOW_LINKS,
                one_of("inside", "warn", "all"),
                "inside",
                "links that are read: by 'inside' those that stay in the directory and that this user or root made",
                of_older="warn",
            ),
            *of_policy(
                Option(
                    "source.max-line-length", parse_bytes, 16 * 1024**2, "a longer line is malformed, and is not held"
                )
            ),
            LINE_ELEMENTS,
            Option(
                "partition.time-extractor.timestamp-pattern", str, None, "e.g. '$ds $hh:00:00': the time of a partition"
            ),
            Option(
                "partition.time",
                one_of("event", "arrival"),
                "event",
                "what the time of a partition means; set, it declares that no row lies in another one",
            ),
            Option(
                "partition.max-delay",
                parse_duration,
                None,
                "arrival partitions: how long after its rowtime a row comes",
            ),
            Option("partition.missing", one_of("fail", "ignore"), "fail", "a backfill that misses a partition"),
        ),
    )
)

TIMING = tuple(Option(name, read, None, meaning) for name, (read, meaning) in TIMING_OPTIONS.items())

EVERY_SINK = (EVERY_SOURCE[0], *TIMING)
"""Options of sinks, whatever their connector is."""

SINK_OPTIONS = named((*EVERY_SINK, *_FILES, *FORMAT_OPTIONS, *_WRITING))

FILE_OPTIONS = {
    **SOURCE_OPTIONS,
    **SINK_OPTIONS,
    **named(LOOKUP_OPTIONS),
    **named(IDLE_OPTIONS),
    **named(OTHER_OPTIONS),
}
"""What connector filesystem knows. A table may serve as source and as sink, so it takes the options of both."""

PRINT_OPTIONS = named(
    (
        *EVERY_SINK,
        *free(
            Option("print-identifier", str, "", "stands before each row: 'identifier> +I[…]'"),
            Option("standard-error", parse_boolean, False, "rows are printed on standard error"),
        ),
        FILE_OPTIONS["sink.parallelism"],
    )
)
"""What connector print knows."""

REPORT_OPTIONS = named(
    (
        Option(TIME_ZONE, read_zone, "UTC", "the session time zone"),
        Option(FIRST_DAY_OF_WEEK, one_of(*WEEKDAYS), None, "when windows of WEEKs begin; default: weeks of the epoch"),
        Option(
            STATE_TTL,
            parse_duration,
            None,
            "without windows, and for first rows below them: how long a key that no row touches is remembered",
        ),
        *free(
            Option(
                NOT_NULL, one_of("error", "drop"), "error", "a NULL for a sink's NOT NULL column: an error, or no row"
            )
        ),
        Option("table.exec.emit.early-fire.enabled", parse_boolean, False, "older windows: results before the end"),
        Option("table.exec.emit.early-fire.delay", parse_duration, None, "older windows: how often"),
        Option("table.exec.emit.late-fire.enabled", parse_boolean, False, "older windows: results of late rows"),
        Option("table.exec.emit.late-fire.delay", parse_duration, None, "older windows: how often"),
        Option(
            "table.exec.emit.allow-lateness", parse_duration, None, "older windows; no effect on windowing functions"
        ),
        *free(
            Option(
                "table.exec.source.idle-timeout", parse_duration, None, "for sources without their own idle timeout"
            ),
            Option(
                ARITHMETIC_ERRORS,
                one_of("fail", "null"),
                "fail",
                "an overflow or a division by zero: an error, or NULL, which is counted",
            ),
            Option(UNBOUNDED_STATE, one_of("refuse", "allow"), "refuse", "live queries that keep every key for ever"),
            Option(
                REFUSED_TIMEOUT, parse_duration, HOUR, "how long a driver waits for a server that refuses its login"
            ),
            Option(
                KEEP,
                parse_duration,
                None,
                "how long entries of the log and their ledgers stay in the home; default: for ever",
            ),
            Option(
                FOLLOWERS_EXPIRE,
                parse_duration,
                7 * DAY,
                "for how long entries wait for one that follows the log and is not seen any more",
            ),
            Option(
                KEEP_VERSIONS,
                parse_duration,
                7 * DAY,
                "how long rows stay in the home that a backfill, a repair or an undo replaces; `0 s`: none are kept",
            ),
            Option(
                KEEP_GENERATIONS,
                parse_duration,
                7 * DAY,
                "how long the generation of a home stays that a changed report has replaced",
            ),
            Option("pipeline.name", str, None, "the report's name; default: the file's"),
            Option(MAX_SCRIPT, parse_bytes, 1024**2, "by --set or settings: the most bytes of a script"),
            Option(MAX_NODES, positive, 2000, "the most operators of a report, and SELECTs of a query"),
            Option("parallelism.default", positive, None, "number of shuffle partitions; default: the session's cores"),
            *(Option(rule.switch, parse_boolean, True, f"{rule.name}: {rule.does}") for rule in SPEED_RULES),
        ),
        *IDLE_SETTINGS,
        *OTHER_SETTINGS,
    )
)
"""The settings of a report."""

SPARK_PREFIX = "spark."
"""`SET 'spark.…'` passes through to the Spark session."""


def is_setting(key: str) -> bool:
    """Whether a report can set it, also if it has no effect."""
    return key.startswith(SPARK_PREFIX) or find(key, REPORT_OPTIONS) is not None


def read_option(options: Mapping[str, str], known: Mapping[str, Option], name: str) -> Any:
    """The value of an option, or its default. The text was checked by `check_options`."""
    return known[name].of(options)


def source_option(options: Mapping[str, str], name: str) -> Any:
    return read_option(options, SOURCE_OPTIONS, name)


def sink_option(options: Mapping[str, str], name: str) -> Any:
    return read_option(options, SINK_OPTIONS, name)


def find(name: str, known: Mapping[str, Option]) -> Option | None:
    """The option with this name, or else the longest family that the name belongs to."""
    if name in known:
        return known[name]
    families = [one for one in known if one.endswith("*") and name.startswith(one[:-1])]
    return known[max(families, key=len)] if families else None


def check_options(options: Mapping[str, str], known: Mapping[str, Option], where: str) -> None:
    """Raises InputError for the first unknown option or invalid value."""
    for name, text in options.items():
        option = find(name, known)
        if option is None:
            instead = answer(name)
            hint = f": {instead}" if instead else nearest(name, known)
            raise InputError(f"{where}: there is no option {name!r}{hint}")
        try:
            option.read(text)
        except ValueError as wrong:
            raise InputError(f"{where}: option {name!r}: {wrong}") from None
