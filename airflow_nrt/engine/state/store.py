"""The slice store: directories of partials below `state/`, written once, removed when no entry refers to them.

What counts in a directory are the files that its entry names. A task that Spark has given up may still write another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.types import LongType, StructField, StructType

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.spark.footers import Footer, read_footer
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.engine.spark.tuning import Tasks, Tuning
from airflow_nrt.engine.state.state_columns import LATE, SLICE
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.written.directory_names import new_name
from airflow_nrt.home.written.durable_files import check_written, written_in
from airflow_nrt.model.internal_columns import CARRY


@dataclass(frozen=True)
class Written:
    """The result of a write: the file (None if no partial in it counts), and the numbers of late and dropped rows."""

    file: StateFile | None
    path: StorePath
    late: int = 0
    dropped: int = 0


class SliceStore:
    """Reads and writes partials of all operators of a home. The names of its files begin with `epoch`.

    `named` are the files that entries have named. Earlier versions named directories alone.
    """

    def __init__(self, spark: SparkSession, home: Home, epoch: int, named: NamedFiles) -> None:
        self.spark = spark
        self.home = home
        self.epoch = epoch
        self._files = {**named}
        self._unnamed: set[str] = set()
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
        footer = self._footer(path, {placed_by, LATE} & {*partials.columns})
        slices = footer.columns[placed_by]
        late = self._late(path, footer) if LATE in footer.columns else 0
        # A BIGINT column always has statistics.
        dropped = slices.nulls or 0
        file = None
        if slices.least is not None and slices.most is not None:
            file = StateFile(path.key, slices.least, slices.most, footer.rows - dropped)
            self._keep(path, partials.schema)
        return Written(file, path, late, dropped)

    def write_parts(self, operator: str, rows: DataFrame) -> tuple[StateFile, ...]:
        """Writes the rows of each slice to a directory in a new one, without the column of the slice."""
        path = self._new_directory(operator)
        rows.write.partitionBy(SLICE).parquet(str(path))
        found = []
        for directory in path.below():
            name, _, part = directory.name.partition("=")
            if name == SLICE:
                self.standing.add(directory.key)
                found.append(StateFile(directory.key, int(part), int(part), self._footer(directory).rows))
                self._keep(directory, rows.drop(SLICE).schema)
        # It stands as long as one of its parts.
        self.standing.discard(path.key)
        return tuple(found)

    def name_new(self, directories: Iterable[str]) -> NamedFiles:
        """The files of those of these directories that no entry has named yet. They are durable from here on."""
        return {one: self._files[one] for one in sorted(self._unnamed.intersection(directories))}

    def are_named(self, directories: Iterable[str]) -> None:
        """An entry of the log has named the files of these directories."""
        self._unnamed.difference_update(directories)

    def check(self, files: Iterable[str]) -> None:
        """Raises HomeError if a file in one of these directories is not what its entry says."""
        for directory in files:
            check_written(self.home.root / directory, self._files.get(directory, ()))

    def _new_directory(self, operator: str) -> StorePath:
        path = self.home.state / operator / new_name(self.epoch)
        self.standing.add(path.key)
        return path

    def _keep(self, directory: StorePath, schema: StructType) -> None:
        self._unnamed.add(directory.key)
        self._schemas[directory.key] = schema

    def _footer(self, directory: StorePath, columns: Collection[str] = ()) -> Footer:
        """The footers of the files that were just written into a directory."""
        self._files[directory.key] = written_in(directory)
        return read_footer((path.local for path in self._paths(directory.key)), columns)

    def _paths(self, directory: str) -> list[StorePath]:
        place = self.home.root / directory
        return [place / file.name for file in self._files[directory]] if directory in self._files else [place]

    def _late(self, path: StorePath, footer: Footer) -> int:
        nulls = footer.columns[LATE].nulls
        if nulls is not None:
            return footer.rows - nulls
        return self.spark.read.parquet(str(path).translate(GLOB)).where(f"{LATE} IS NOT NULL").count()

    def read(self, files: Sequence[StateFile], columns: Iterable[str]) -> DataFrame | None:
        """These columns of the partials in the files, None if there are no files."""
        columns = tuple(columns)
        if not files:
            return None
        paths = [str(path).translate(GLOB) for file in files for path in self._paths(file.path)]
        known = next((self._schemas[file.path] for file in files if file.path in self._schemas), None)
        if known is None and any(name.startswith(CARRY) for name in columns):
            # Spark would look at one file, which may be older than others.
            known = _with_carries(self._reader.parquet(*paths).schema, columns)
        if known is None:
            return self.tasks.gathered(self._reader.parquet(*paths).select(*map(quote, columns)))
        return self.tasks.gathered(self._reader.schema(StructType([known[name] for name in columns])).parquet(*paths))

    @property
    def _reader(self) -> DataFrameReader:
        # By default a page that is damaged is read as if it were not.
        return self.spark.read.option("parquet.page.verify-checksum.enabled", "true")

    def remove(self, paths: Iterable[str]) -> None:
        """Removes directories to which no entry refers any more."""
        for path in paths:
            place = self.home.root / path
            place.delete_all()
            if _is_part(place) and not place.parent.names():
                place.parent.delete_all()
            self.standing.discard(path)
            self._unnamed.discard(path)
            self._schemas.pop(path, None)
            self._files.pop(path, None)


def _with_carries(schema: StructType, columns: Iterable[str]) -> StructType:
    missing = [name for name in columns if name.startswith(CARRY) and name not in schema.names]
    return StructType([*schema.fields, *(StructField(name, LongType()) for name in missing)])


def directories_of(files: Iterable[str]) -> frozenset[str]:
    """The directories of these state files, and those that have parts of them."""
    places = {*files}
    return frozenset(places | {one.rpartition("/")[0] for one in places})


def _is_part(directory: StorePath) -> bool:
    """Whether it is one of the directories of a write in parts."""
    return directory.name.startswith(f"{SLICE}=")
