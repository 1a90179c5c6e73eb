"""Settings of Spark that a task may give to a report: none that chooses code, options of a JVM, paths or addresses.

Settings of a task may come from a run's configuration, and so from anybody who may trigger the DAG.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.known import SPARK_PREFIX

HARMLESS = (
    *("spark.driver.memory", "spark.driver.memoryOverhead*", "spark.driver.cores", "spark.driver.maxResultSize"),
    *("spark.executor.memory", "spark.executor.memoryOverhead*", "spark.executor.cores", "spark.executor.instances"),
    *("spark.cores.max", "spark.task.cpus", "spark.task.maxFailures", "spark.default.parallelism", "spark.memory.*"),
    *("spark.dynamicAllocation.enabled", "spark.dynamicAllocation.*Executors", "spark.dynamicAllocation.*Timeout"),
    *("spark.speculation*", "spark.locality.wait*", "spark.network.timeout", "spark.executor.heartbeatInterval"),
    *("spark.shuffle.compress", "spark.shuffle.spill.compress", "spark.reducer.maxSizeInFlight", "spark.rdd.compress"),
    *("spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.*", "spark.sql.adaptive.skewJoin.*"),
    *("spark.sql.adaptive.advisoryPartitionSizeInBytes", "spark.sql.adaptive.autoBroadcastJoinThreshold"),
    *("spark.sql.adaptive.localShuffleReader.enabled", "spark.sql.ansi.enabled"),
    *("spark.sql.autoBroadcastJoinThreshold",),
    *("spark.sql.broadcastTimeout", "spark.sql.caseSensitive", "spark.sql.codegen.*", "spark.sql.files.max*"),
    *("spark.sql.files.openCostInBytes", "spark.sql.inMemoryColumnarStorage.*", "spark.sql.join.*"),
    *("spark.sql.parquet.compression.codec", "spark.sql.session.timeZone", "spark.sql.shuffle.partitions"),
)
"""`*` matches any rest of a name."""
_PLAIN = re.compile(r"[\w.+:/%-]*", re.ASCII)


def check_spark_settings(settings: Mapping[str, str]) -> None:
    """Raises InputError for the first setting of Spark that a task may not give, by its name."""
    for name, value in settings.items():
        if not name.startswith(SPARK_PREFIX):
            continue
        if not any(fnmatchcase(name, harmless) for harmless in HARMLESS):
            raise InputError(
                f"the setting {name!r} is not taken from a task's settings, as it may choose code, options of Java, "
                "paths or secrets: put it into `conf` of the connection, or write it into the report (SET)"
            )
        if _PLAIN.fullmatch(value) is None:
            raise InputError(f"the setting {name!r} has a value that is not a number, a size or a name")
