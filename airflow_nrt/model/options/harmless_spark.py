"""Settings of Spark that choose neither code, nor options of a JVM, nor paths or addresses, by their exact names."""

from __future__ import annotations

HARMLESS = frozenset(
    """
    spark.cores.max spark.default.parallelism spark.driver.cores spark.driver.maxResultSize
    spark.driver.memory spark.driver.memoryOverhead spark.driver.memoryOverheadFactor
    spark.dynamicAllocation.cachedExecutorIdleTimeout spark.dynamicAllocation.enabled
    spark.dynamicAllocation.executorIdleTimeout spark.dynamicAllocation.initialExecutors
    spark.dynamicAllocation.maxExecutors spark.dynamicAllocation.minExecutors
    spark.dynamicAllocation.schedulerBacklogTimeout spark.dynamicAllocation.sustainedSchedulerBacklogTimeout
    spark.executor.cores spark.executor.heartbeatInterval spark.executor.instances spark.executor.memory
    spark.executor.memoryOverhead spark.executor.memoryOverheadFactor spark.locality.wait
    spark.locality.wait.legacyResetOnTaskLaunch spark.locality.wait.node spark.locality.wait.process
    spark.locality.wait.rack spark.memory.fraction spark.memory.offHeap.enabled spark.memory.offHeap.size
    spark.memory.storageFraction spark.network.timeout spark.rdd.compress spark.reducer.maxSizeInFlight
    spark.shuffle.compress spark.shuffle.spill.compress spark.speculation spark.speculation.efficiency.enabled
    spark.speculation.efficiency.longRunTaskFactor spark.speculation.efficiency.processRateMultiplier
    spark.speculation.interval spark.speculation.minTaskRuntime spark.speculation.multiplier
    spark.speculation.quantile spark.speculation.task.duration.threshold
    spark.sql.adaptive.advisoryPartitionSizeInBytes spark.sql.adaptive.autoBroadcastJoinThreshold
    spark.sql.adaptive.coalescePartitions.enabled spark.sql.adaptive.coalescePartitions.initialPartitionNum
    spark.sql.adaptive.coalescePartitions.minPartitionNum
    spark.sql.adaptive.coalescePartitions.minPartitionSize
    spark.sql.adaptive.coalescePartitions.parallelismFirst spark.sql.adaptive.enabled
    spark.sql.adaptive.localShuffleReader.enabled spark.sql.adaptive.skewJoin.enabled
    spark.sql.adaptive.skewJoin.skewedPartitionFactor
    spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes spark.sql.ansi.enabled
    spark.sql.autoBroadcastJoinThreshold spark.sql.broadcastTimeout spark.sql.caseSensitive
    spark.sql.codegen.aggregate.fastHashMap.capacityBit spark.sql.codegen.aggregate.map.twolevel.enabled
    spark.sql.codegen.aggregate.map.twolevel.partialOnly spark.sql.codegen.aggregate.map.vectorized.enable
    spark.sql.codegen.aggregate.sortAggregate.enabled spark.sql.codegen.aggregate.splitAggregateFunc.enabled
    spark.sql.codegen.broadcastCleanedSourceThreshold spark.sql.codegen.fallback
    spark.sql.codegen.hugeMethodLimit spark.sql.codegen.join.buildSideOuterShuffledHashJoin.enabled
    spark.sql.codegen.join.existenceSortMergeJoin.enabled
    spark.sql.codegen.join.fullOuterShuffledHashJoin.enabled
    spark.sql.codegen.join.fullOuterSortMergeJoin.enabled spark.sql.codegen.logLevel
    spark.sql.codegen.logging.maxLines spark.sql.codegen.maxFields spark.sql.codegen.methodSplitThreshold
    spark.sql.codegen.splitConsumeFuncByOperator spark.sql.codegen.useIdInClassName
    spark.sql.codegen.wholeStage spark.sql.files.maxPartitionBytes spark.sql.files.maxPartitionNum
    spark.sql.files.maxRecordsPerFile spark.sql.files.openCostInBytes
    spark.sql.inMemoryColumnarStorage.batchSize spark.sql.inMemoryColumnarStorage.compressed
    spark.sql.inMemoryColumnarStorage.enableVectorizedReader
    spark.sql.inMemoryColumnarStorage.hugeVectorReserveRatio
    spark.sql.inMemoryColumnarStorage.hugeVectorThreshold spark.sql.inMemoryColumnarStorage.partitionPruning
    spark.sql.join.preferSortMergeJoin spark.sql.parquet.compression.codec spark.sql.session.timeZone
    spark.sql.shuffle.partitions spark.task.cpus spark.task.maxFailures
    """.split()
)


def is_harmless(name: str) -> bool:
    return name in HARMLESS
