"""Settings of every session that a report has not set itself."""

from __future__ import annotations

from airflow_nrt.basics.masters import LOCAL_ADDRESS
from airflow_nrt.model.options.settings import SECRET_NAMES

SQL_SETTINGS = {
    # By default each aggregate and each sort takes up to 64 MB with its first row. Few rows are computed in one task,
    # so that a query of twenty such steps would fill the heap. A task has at most 8,192 pages, here 32 GB.
    "spark.buffer.pageSize": "4m",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    # A micro-batch is small: adaptive execution costs a job at each exchange and gives nothing back.
    "spark.sql.adaptive.enabled": "false",
    # The driver names every file itself; listing them must not become a Spark job.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000000",
    "spark.sql.parquet.compression.codec": "lz4_raw",
    "spark.sql.files.ignoreMissingFiles": "false",
    # Spark infers conditions from conditions, for the names that a value has: twice as many with each computed column
    # of a condition. A filter above a table of forty columns took minutes, and all memory.
    "spark.sql.constraintPropagation.enabled": "false",
    # Most groups of a distinct count have one row, so a small map in front of the large one does not help.
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
    # The rows of a batch are cached for two or three readers, and gone then: to compress them takes longer.
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    # So many windows, or hours of an archive, are written side by side. Only of more the rows are sorted first.
    "spark.sql.maxConcurrentOutputFileWriters": "32",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    # Parquet files and Python functions have times in Spark's own type.
    "spark.sql.timeType.enabled": "true",
    # Results become visible by one rename of the product's own; no marker files, no second move by Spark.
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
    "spark.hadoop.parquet.summary.metadata.level": "NONE",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
    # Checkpoints of streaming queries are scratch: they are written like all other files.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
    "spark.hadoop.io.file.buffer.size": "131072",
    # Line numbers of this package mean nothing to a user, and each expression would send its own to the JVM.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # A driver runs for months, and Spark keeps each query for its web UI, with the text of the plan.
    "spark.ui.retainedJobs": "100",
    "spark.ui.retainedStages": "100",
    "spark.ui.retainedTasks": "1000",
    "spark.sql.ui.retainedExecutions": "100",
}
LOCAL_SETTINGS = {
    "spark.driver.host": LOCAL_ADDRESS,
    "spark.driver.bindAddress": LOCAL_ADDRESS,
    # Spark generates the secret, in memory. Without one any user of the host could stop the driver.
    "spark.authenticate": "true",
    "spark.ui.enabled": "false",
    "spark.driver.memory": "2g",
    # Throughput matters, and pauses of some 50 ms don't.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
}
ALWAYS = {
    "spark.ui.showConsoleProgress": "false",
    # The names of settings that Spark redacts in its web UI and its event log.
    "spark.redaction.regex": f"(?i){SECRET_NAMES}",
}
