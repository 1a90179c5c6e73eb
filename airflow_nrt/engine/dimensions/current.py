"""The dimension tables of a stream: before each batch it looks whether one has changed, and remembers what it uses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from pyspark.sql import SparkSession

from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.dimensions.remembered import remember
from airflow_nrt.engine.dimensions.views import provide_version
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.home import Home
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Lookup, Plan


class CurrentVersions:
    """The versions that the rows of a batch are joined with. An unchanged table costs no job of Spark."""

    def __init__(self, spark: SparkSession, plan: Plan, home: Home) -> None:
        self.spark = spark
        self.plan = plan
        self.home = home
        self._versions: dict[str, str] = {}
        self._marks: dict[str, Hashable] = {}
        self._looked: dict[str, int] = {}
        self._provided: dict[str, tuple[str, bool]] = {}

    @property
    def known(self) -> Mapping[str, str]:
        """The version of each table, by name, that queries read now."""
        return dict(self._versions)

    def at(self, clock: int, tasks: Tasks) -> Mapping[str, str]:
        """The versions at this processing time (ms). Queries that follow, in so many tasks, read them.

        At one time there is one version, so that the log can say by its clocks which one a row was joined with. Raises
        UnreachableError for a table that can't be read now, InputError for one that can't be looked up.
        """
        for lookup in self.plan.lookups:
            every = max(1, connector_of(lookup.table).looks_every(lookup.table))
            looked = self._looked.get(lookup.name)
            if looked is None or clock - looked >= every:
                self._look(lookup)
                self._looked[lookup.name] = clock
            self._provide(lookup, tasks)
        return self.known

    def _provide(self, lookup: Lookup, tasks: Tasks) -> None:
        wanted = self._versions[lookup.name], tasks.is_one
        if self._provided.get(lookup.name) != wanted:
            provide_version(self.spark, self.home, lookup, wanted[0], tasks)
            self._provided[lookup.name] = wanted

    def _look(self, lookup: Lookup) -> None:
        mark = dimension_of(lookup.table).mark(self.spark, lookup.table)
        name = lookup.name
        if name in self._versions and self._marks[name] == mark:
            return
        self._versions[name], self._marks[name] = remember(self.spark, self.home, lookup, mark), mark
