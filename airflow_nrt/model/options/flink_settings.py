"""Settings that tune Flink's own engine, and settings that are not supported: data, a line for each family.

Settings without an effect are accepted, so that a script runs as it is; `check` and `plan` report them. A setting that
would change results, or break a guarantee, is refused with an alternative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.model.options.option import (
    Option,
    Refusal,
    one_of,
    only,
    parse_boolean,
    parse_bytes,
    positive,
    whole_number,
)

_IDLE: dict[str, tuple[str, dict[str, Callable[[str], Any]]]] = {
    "when Flink saves its state": (
        "each batch is one commit of the home's log, exactly once",
        {
            "execution.checkpointing.interval": parse_duration,
            "execution.checkpointing.timeout": parse_duration,
            "execution.checkpointing.min-pause": parse_duration,
            "execution.checkpointing.mode": one_of("exactly_once", "at_least_once"),
            "execution.checkpointing.max-concurrent-checkpoints": positive,
            "execution.checkpointing.tolerable-failed-checkpoints": whole_number,
            "execution.checkpointing.incremental": parse_boolean,
            "execution.checkpointing.unaligned": parse_boolean,
            "execution.checkpointing.unaligned.enabled": parse_boolean,
            "execution.checkpointing.*": str,
        },
    ),
    "where Flink keeps its state": (
        "state lies in the home, as files of its slices",
        {
            "state.backend.incremental": parse_boolean,
            "state.checkpoints.num-retained": positive,
            "state.*": str,
        },
    ),
    "how often Flink restarts a job": (
        "the operator restarts a driver with back-off (retries of the task), and the driver retries what may pass",
        {"restart-strategy": str, "restart-strategy.*": str},
    ),
    "how Flink gathers rows": (
        "a driver works in micro-batches: a change is the net of one, and 'source.max-batch-size' bounds it",
        {
            "table.exec.mini-batch.enabled": parse_boolean,
            "table.exec.mini-batch.allow-latency": parse_duration,
            "table.exec.mini-batch.size": whole_number,
            "execution.buffer-timeout": str,
            "execution.buffer-timeout.enabled": parse_boolean,
            "execution.buffer-timeout.interval": str,
            "table.exec.deduplicate.insert-update-after-sensitive-enabled": parse_boolean,
            "table.exec.deduplicate.mini-batch.compact-changes-enabled": parse_boolean,
        },
    ),
    "what Flink buffers and caches": (
        "Spark manages the memory of its tasks: 'spark.executor.memory'",
        {
            "table.exec.window-agg.buffer-size-limit": whole_number,
            "table.exec.rank.topn-cache-size": whole_number,
            "table.exec.interval-join.min-cleanup-interval": parse_duration,
            "table.exec.spill-compression.enabled": parse_boolean,
            "table.exec.spill-compression.block-size": parse_bytes,
            "table.exec.sort.*": str,
            "table.exec.local-hash-agg.adaptive.*": str,
            "table.exec.delta-join.*": str,
        },
    ),
    "how Flink calls functions asynchronously": (
        "functions are called for many rows at once",
        {
            "table.exec.async-lookup.*": str,
            "table.exec.async-scalar.*": str,
            "table.exec.async-table.*": str,
            "table.exec.async-state.*": str,
            "python.fn-execution.*": str,
        },
    ),
    "how Flink's sinks order changes": (
        "a batch writes the net of its changes, one a key",
        {
            "table.exec.sink.upsert-materialize": one_of("none", "auto", "force"),
            "table.exec.sink.keyed-shuffle": one_of("none", "auto", "force"),
            "table.exec.sink.rowtime-inserter": one_of("enabled", "disabled"),
        },
    ),
    "whether changes come twice": (
        "of a table with a PRIMARY KEY the last change of a key counts, so that the same one again is none",
        {"table.exec.source.cdc-events-duplicate": parse_boolean},
    ),
    "how Flink plans a query": (
        "the plan is made here, and Spark optimizes it; distinct values and hot keys are always split",
        {
            "table.optimizer.distinct-agg.split.enabled": parse_boolean,
            "table.optimizer.distinct-agg.split.bucket-num": positive,
            "table.optimizer.agg-phase-strategy": one_of("auto", "one_phase", "two_phase"),
            "table.optimizer.reuse-sub-plan-enabled": parse_boolean,
            "table.optimizer.reuse-source-enabled": parse_boolean,
            "table.optimizer.join-reorder-enabled": parse_boolean,
            "table.optimizer.*": str,
            "table.exec.disabled-operators": str,
            "table.exec.operator-fusion-codegen.enabled": parse_boolean,
            "table.exec.simplify-operator-name-enabled": parse_boolean,
            "table.exec.legacy-transformation-uids": parse_boolean,
            "table.exec.unbounded-over.version": positive,
            "table.exec.uid.*": str,
            "table.generated-code.max-length": positive,
            "table.plan.*": str,
        },
    ),
    "how many tasks Flink runs": (
        "'parallelism.default' is the number of shuffle partitions, and Spark chooses the tasks of a batch",
        {
            "table.exec.resource.default-parallelism": whole_number,
            "table.exec.resource.*": str,
            "table.exec.shuffle-mode": str,
            "pipeline.max-parallelism": whole_number,
            "pipeline.operator-chaining": parse_boolean,
            "pipeline.operator-chaining.*": parse_boolean,
            "pipeline.jobvertex-parallelism-overrides": str,
            "execution.batch-shuffle-mode": str,
            "execution.batch.*": str,
            "slot.*": str,
            "job.*": str,
        },
    ),
    "how Flink copies records": (
        "Spark has its own rows",
        {
            "pipeline.object-reuse": parse_boolean,
            "pipeline.generic-types": parse_boolean,
            "pipeline.force-avro": parse_boolean,
            "pipeline.force-kryo": parse_boolean,
            "pipeline.closure-cleaner-level": str,
            "pipeline.serialization-config": str,
            "pipeline.auto-generate-uids": parse_boolean,
            "pipeline.vertex-description-mode": str,
            "pipeline.vertex-name-include-index-prefix": parse_boolean,
        },
    ),
    "when Flink emits watermarks": (
        "the watermark moves with each batch, and each source file is read whole",
        {
            "pipeline.auto-watermark-interval": parse_duration,
            "pipeline.watermark-alignment.allow-unaligned-source-splits": parse_boolean,
        },
    ),
    "how a script is submitted": (
        "run, query and backfill, or the operator, choose how the report runs",
        {
            "execution.runtime-mode": one_of("streaming", "batch", "automatic"),
            "execution.attached": parse_boolean,
            "execution.shutdown-on-attached-exit": parse_boolean,
            "execution.target": str,
            "table.dml-sync": parse_boolean,
            "table.rtas-ctas.atomicity-enabled": parse_boolean,
            "client.*": str,
            "sql-client.*": str,
            "table.display.*": str,
            "table.builtin-catalog-name": str,
            "table.builtin-database-name": str,
        },
    ),
    "what Flink loads": (
        "no Java is loaded, and the modules of Python functions travel by themselves from beside the report",
        {
            "pipeline.jars": str,
            "pipeline.classpaths": str,
            "pipeline.cached-files": str,
            "python.files": str,
            "python.archives": str,
            "python.requirements": str,
            "python.executable": str,
            "python.client.executable": str,
            "table.resources.download-dir": str,
            "classloader.*": str,
        },
    ),
    "Flink's cluster": (
        "Spark runs the report: 'spark.…' settings reach it",
        dict.fromkeys(
            (
                "taskmanager.*", "jobmanager.*", "cluster.*", "rest.*", "web.*", "metrics.*", "kubernetes.*", "yarn.*",
                "high-availability.*", "security.*", "heartbeat.*", "blob.*", "env.*", "io.*", "akka.*", "pekko.*",
                "fs.*", "s3.*", "historyserver.*", "jobstore.*",
            ),
            str,
        ),
    ),
}  # fmt: skip

_HERE = "a home keeps its own state: run the report on a new home, and backfill what lies before"
_REFUSED = {
    "execution.savepoint.*": f"a savepoint of Flink can't be read: {_HERE}",
    "execution.savepoint-restore-mode": f"a savepoint of Flink can't be read: {_HERE}",
    "execution.state-recovery.*": f"a savepoint of Flink can't be read: {_HERE}",
    "pipeline.global-job-parameters": "functions have no job parameters here: write constants into their module",
}
_BUT_ONE = {
    "table.exec.sink.type-length-enforcer": only("IGNORE", "SUBSTRING cuts a text"),
    "table.exec.sink.nested-constraint-enforcer": only("IGNORE", "filter with WHERE"),
    "table.exec.legacy-cast-behaviour": only("DISABLED", "TRY_CAST gives NULL where CAST fails"),
    "table.sql-dialect": only("default", "a report is Flink SQL"),
    "table.column-expansion-strategy": only("", "name the columns instead of *"),
}

IDLE_SETTINGS = tuple(
    Option(name, read, None, meaning, idle=why)
    for meaning, (why, names) in _IDLE.items()
    for name, read in names.items()
)
OTHER_SETTINGS = (
    *(Option(name, Refusal(why), None, why) for name, why in _REFUSED.items()),
    *(Option(name, read, None, "accepted with Flink's default alone") for name, read in _BUT_ONE.items()),
)
