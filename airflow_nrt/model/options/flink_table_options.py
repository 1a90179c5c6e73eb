"""Options of Flink's tables that tune its connectors, that have one value here, or that are not supported: data.

See `flink_settings.py` for the three kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.option import Option, Refusal, one_of, only, parse_boolean, parse_bytes, positive
from airflow_nrt.model.zones import read_zone

_ONE_FILE = "a file is one window (or one batch), and becomes visible whole when it is published"
_TASKS = "Spark chooses the tasks of a batch; 'parallelism.default' is the number of shuffle partitions"
_BATCH = "the watermark moves with each batch, which reads the oldest files first"
_COMMITS = "no partition is committed: NrtWindowSensor waits for windows, a dispatcher_dag makes asset events of them"
_NUMBERS = "it is the same number to a reader"
_JSON = ("json", *CHANGE_FORMATS)

_IDLE: dict[str, tuple[Callable[[str], Any], str]] = {
    "sink.rolling-policy.file-size": (parse_bytes, _ONE_FILE),
    "sink.rolling-policy.rollover-interval": (parse_duration, _ONE_FILE),
    "sink.rolling-policy.inactivity-interval": (parse_duration, _ONE_FILE),
    "sink.rolling-policy.check-interval": (parse_duration, _ONE_FILE),
    "auto-compaction": (parse_boolean, _ONE_FILE),
    "compaction.file-size": (parse_bytes, _ONE_FILE),
    "compaction.parallelism": (positive, _ONE_FILE),
    "sink.shuffle-by-partition.enable": (parse_boolean, _ONE_FILE),
    "sink.partition-commit.trigger": (one_of("process-time", "partition-time"), _COMMITS),
    "sink.partition-commit.delay": (parse_duration, _COMMITS),
    "sink.partition-commit.watermark-time-zone": (read_zone, _COMMITS),
    "sink.partition-commit.success-file.name": (str, _COMMITS),
    "sink.parallelism": (positive, _TASKS),
    "scan.parallelism": (positive, _TASKS),
    "source.report-statistics": (one_of("none", "all"), "files are chosen by name and time alone"),
    "scan.watermark.emit.strategy": (one_of("on-periodic", "on-event"), _BATCH),
    "scan.watermark.alignment.group": (str, f"{_BATCH}; windows wait for the slowest source"),
    "scan.watermark.alignment.max-drift": (parse_duration, f"{_BATCH}; windows wait for the slowest source"),
    "scan.watermark.alignment.update-interval": (parse_duration, f"{_BATCH}; windows wait for the slowest source"),
    "csv.write-bigdecimal-in-scientific-notation": (parse_boolean, _NUMBERS),
    **{f"{name}.encode.decimal-as-plain-number": (parse_boolean, _NUMBERS) for name in _JSON},
    "json.decode.json-parser.enabled": (parse_boolean, "Spark reads json"),
    **{f"{name}.map-null-key.literal": (str, "a MAP has no NULL key here") for name in _JSON},
    "orc.*": (str, "Spark reads orc"),
    "avro.timestamp_mapping.legacy": (parse_boolean, "a file has the schema of its writer"),
    "parquet.batch-size": (positive, "Spark reads parquet"),
}

_KAFKA = "it is an option of connector 'kafka', and this is a table of files"
_STREAMING = "it is an option of Hive's tables: 'source.monitor-interval' makes a table of files live"
_REFUSED = {
    "sink.partition-commit.policy.kind": (
        "no success file is written and there is no metastore: leave it out and let NrtWindowSensor, or the asset "
        "events of a dispatcher_dag, say what is complete"
    ),
    "sink.partition-commit.policy.class": "there is no Java: NrtWindowSensor waits for complete windows",
    "sink.partition-commit.policy.class.parameters": "there is no Java: NrtWindowSensor waits for complete windows",
    "partition.time-extractor.class": "there is no Java: write 'partition.time-extractor.timestamp-pattern'",
    "streaming-source.*": _STREAMING,
    **dict.fromkeys(
        (
            "topic", "topic-pattern", "properties.*", "scan.startup.*", "scan.bounded.*", "key.format", "key.fields",
            "key.fields-prefix", "value.format", "value.fields-include", "sink.partitioner", "sink.delivery-guarantee",
            "sink.transactional-id-prefix", "sink.semantic", "scan.topic-partition-discovery.interval",
        ),
        _KAFKA,
    ),
}  # fmt: skip
_BUT_ONE = {
    "partition.time-extractor.kind": only("default", "'partition.time-extractor.timestamp-pattern' says how"),
    "partition.time-extractor.timestamp-formatter": only(
        "yyyy-MM-dd HH:mm:ss", "the pattern can compose that of several keys: '$year-$month-$day $hour:00:00'"
    ),
    "partition.default-name": only("__HIVE_DEFAULT_PARTITION__", "so Spark names the partition of NULL"),
    **{f"{name}.map-null-key.mode": only("FAIL", "a MAP has no NULL key here") for name in _JSON},
    "parquet.utc-timezone": only("true", "times lie in parquet as they are, in no zone"),
}

IDLE_OPTIONS = tuple(
    Option(name, read, None, "tunes Flink's connector", idle=why) for name, (read, why) in _IDLE.items()
)
OTHER_OPTIONS = (
    *(Option(name, Refusal(why), None, why) for name, why in _REFUSED.items()),
    *(Option(name, read, None, "accepted with this value alone") for name, read in _BUT_ONE.items()),
)
