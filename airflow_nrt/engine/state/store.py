"""The slice store: directories of partials below `state/`, written once, removed when no entry refers to them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.spark.footers import Footer, read_footer
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.engine.spark.tuning import Tasks, Tuning
from airflow_nrt.engine.state.state_columns import LATE, SLICE
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.home.store.store_path import StorePath


@dataclass(frozen=True)
class Written:
    """The result of a write: the file (None if no partial in it counts), and the numbers of late and dropped rows."""

    file: StateFile | None
    path: StorePath
    late: int = 0
    dropped: int = 0


class SliceStore:
    """Reads and writes partials of all operators of a home. The names of its files begin with `epoch`."""

    def __init__(self, spark: SparkSession, home: Home, epoch: int) -> None:
        self.spark = spark
        self.home = home
        self.epoch = epoch
        self.tuning = Tuning(spark)
        # Known here, because Spark would start a job to read the schema of a file.
        self._schemas: dict[str, StructType] = {}
        self.standing: set[str] = set()
        """The directories that this process wrote and has not removed."""

    @property
    def tasks(self) -> Tasks:
        """The number of tasks of plans, as they are tuned now."""
        return self.tuning.tasks

    def write(self, operator: str, partials: DataFrame, placed_by: str = SLICE) -> Written:
        """Writes partials to a new directory. The column `placed_by` gives the range of the file; where it is NULL, a
        row does not count."""
        path = self._new_directory(operator)
        partials.write.parquet(str(path))
        footer = read_footer(path.local.glob("*.parquet"), {placed_by, LATE} & {*partials.columns})
        slices = footer.columns[placed_by]
        late = self._late(path, footer) if LATE in footer.columns else 0
        # A BIGINT column always has statistics.
        dropped = slices.nulls or 0
        file = None
        if slices.least is not None and slices.most is not None:
            relative = path.key
            file = StateFile(relative, slices.least, slices.most, footer.rows - dropped)
            self._schemas[relative] = partials.schema
        return Written(file, path, late, dropped)

    def write_parts(self, operator: str, rows: DataFrame) -> tuple[StateFile, ...]:
        """Writes the rows of each slice to a new directory, without the column of the slice."""
        path = self._new_directory(operator)
        rows.write.partitionBy(SLICE).parquet(str(path))
        found = []
        for written in sorted(path.local.glob(f"{SLICE}=*")):
            part, directory = int(written.name.partition("=")[2]), self._new_directory(operator)
            written.rename(directory.local)
            self._schemas[directory.key] = rows.drop(SLICE).schema
            found.append(StateFile(directory.key, part, part, read_footer(directory.local.glob("*.parquet")).rows))
        self.remove([path.key])
        return tuple(found)

    def _new_directory(self, operator: str) -> StorePath:
        path = self.home.state / operator / f"{self.epoch}-{uuid.uuid4().hex}"
        self.standing.add(path.key)
        return path

    def _late(self, path: StorePath, footer: Footer) -> int:
        nulls = footer.columns[LATE].nulls
        if nulls is not None:
            return footer.rows - nulls
        return self.spark.read.parquet(str(path).translate(GLOB)).where(f"{LATE} IS NOT NULL").count()

    def read(self, files: Sequence[StateFile], columns: Iterable[str]) -> DataFrame | None:
        """These columns of the partials in the files, None if there are no files."""
        if not files:
            return None
        paths = [str(self.home.root / file.path).translate(GLOB) for file in files]
        known = next((self._schemas[file.path] for file in files if file.path in self._schemas), None)
        if known is None:
            return self.tasks.gathered(self.spark.read.parquet(*paths).select(*map(quote, columns)))
        return self.tasks.gathered(
            self.spark.read.schema(StructType([known[name] for name in columns])).parquet(*paths)
        )

    def remove(self, paths: Iterable[str]) -> None:
        """Removes directories to which no entry refers any more."""
        for path in paths:
            (self.home.root / path).delete_all()
            self.standing.discard(path)
            self._schemas.pop(path, None)
