"""A directory of files, exactly once for any reader.

A file has one whole window of one insert. Without windows it has the rows of one batch; where windows have no grid, the
windows of one slot that fired together; of an update table, a partition. It is written below the home, and becomes
visible by one rename. A restatement or a newer version replaces it by one overwriting rename. So readers see only whole
windows, and a repeated rename finds its file gone and changes nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sinks import file_staging
from airflow_nrt.engine.sinks.same_rows import have_same_rows
from airflow_nrt.engine.sinks.sink import Decided, Sink, Standing, Takeover
from airflow_nrt.engine.sinks.standing_files import as_read, blurred, foreign_rows, standing_rows
from airflow_nrt.files.checksum import checksum_of, is_same
from airflow_nrt.files.durable import put_if_absent, replace_file
from airflow_nrt.files.private_files import read_regular
from airflow_nrt.files.public_files import PUBLIC
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.home.published_directory import OWNER, note_place, noted_place, release_directory
from airflow_nrt.model.plan import Insert

if TYPE_CHECKING:
    import pyarrow as pa

SUCCESS = "_SUCCESS"
"""The mark of a complete partition, as Hadoop's and Flink's writers name it. Readers skip it."""
_MOST_BYTES_OF_ID = 64


@dataclass(frozen=True)
class Filesystem(Sink):
    """The sink in the directory of a table, or in a `copy` of that."""

    copy: Path | None = None

    def check(self, spark: SparkSession, home: Home, insert: Insert) -> None:
        """Raises InputError also if files can't be published there by one rename."""
        root = self._root(insert)
        try:
            _check(home, insert, root)
        except PermissionError as denied:
            raise _denied(insert, denied.filename or root) from None

    def look(self, spark: SparkSession, insert: Insert) -> None:
        root = self._root(insert)
        _check_directory(insert, root)
        there = next(one for one in (root, *root.parents) if one.exists())
        if not os.access(there, os.W_OK | os.X_OK):
            raise _denied(insert, there)

    def release(self, spark: SparkSession | None, home: Home, insert: Insert) -> None:
        root = self._root(insert)
        try:
            release_directory(root, home)
        except PermissionError as denied:
            raise _denied(insert, denied.filename or root) from None

    def is_of(self, spark: SparkSession, insert: Insert, owner: str) -> bool:
        mark = self._root(insert) / OWNER
        return mark.exists() and _owner(mark) == owner

    def keeps_from_takeover(self, before: Insert, insert: Insert) -> str | None:
        return None

    def take_over(self, spark: SparkSession, home: Home, insert: Insert, takeover: Takeover) -> None:
        """File by file: readers see each window whole, of one generation or the other."""
        root = self._root(insert)
        for directory in {(root / one.target).parent for one in takeover.left}:
            # Readers of a partition that wait for its mark see no files of both generations.
            (directory / SUCCESS).unlink(missing_ok=True)
        files = sorted((one for _, one in takeover.standing), key=lambda one: one.end or 0)
        for one in files:
            self._move(home, insert, one)
            reach("takeover-moved")
        taken = {one.target for one in files}
        for one in takeover.left:
            # A driver that was held up may find a newer result there.
            with contextlib.suppress(FileNotFoundError):
                if one.target not in taken and checksum_of(root / one.target) == one.checksum:
                    os.unlink(root / one.target)
        reach("takeover-removed")
        replace_file(root / OWNER, home.identity().id.encode(), PUBLIC)
        reach("takeover-claimed")

    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> list[Published]:
        return file_staging.stage(frame, insert, directory, state, tasks)

    def restaged(self, home: Home, insert: Insert, made: Published, standing: Published) -> Published:
        old, new = self._root(insert) / standing.target, home.directory / made.staged
        if made.target != standing.target or made.checksum == standing.checksum or made.rows != standing.rows:
            return made
        try:
            is_right = not insert.order and checksum_of(old) == standing.checksum
            if not is_right or not have_same_rows(insert.sink.suffix, made.rows, old, new):
                return made
            shutil.copyfile(old, new)
        except (FileNotFoundError, PermissionError):
            return made
        return replace(made, checksum=standing.checksum)

    def publish(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> None:
        """Moves staged files to their places. A missing file has been moved already.

        A place that has the same content stays as it is: whoever has read it finds no change.
        """
        for published in files:
            self._move(home, insert, published)
            reach("file-moved")

    def _move(self, home: Home, insert: Insert, published: Published) -> None:
        target, staged = self._root(insert) / published.target, home.directory / published.staged
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            if is_same(staged, target):
                os.unlink(staged)
                return
            # Denied if an executor wrote it as another user; then it is readable for the home's group.
            with contextlib.suppress(PermissionError):
                os.chmod(staged, PUBLIC)
            os.rename(staged, target)
        except FileNotFoundError:
            return
        except OSError as wrong:
            raise HomeError(f"can't publish {target}: {wrong.strerror}") from None

    def remove(self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, target: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._root(insert) / target)

    @property
    def is_copy(self) -> bool:
        return self.copy is not None

    def at_copy(self, root: Path) -> Filesystem:
        return Filesystem(Path(normpath(root.absolute())))

    def standing(self, spark: SparkSession, insert: Insert, decided: Decided, ends: Iterable[int | None]) -> Standing:
        return standing_rows(spark, insert, decided, ends, self._root(insert))

    def foreign_rows(self, spark: SparkSession, insert: Insert, targets: Collection[str]) -> int:
        return foreign_rows(spark, insert, [self._root(insert) / target for target in targets])

    def as_read(self, insert: Insert, rows: DataFrame) -> DataFrame:
        return as_read(insert, rows)

    def blurred(self, insert: Insert) -> frozenset[str]:
        return blurred(insert)

    def sample(
        self, home: Home, insert: Insert, published: Published, keys: Sequence[str], measures: Sequence[str], limit: int
    ) -> tuple[pa.Table, int] | None:
        try:
            content = read_regular(self._root(insert) / published.target, limit)
        except (FileNotFoundError, HomeError):
            return None
        if hashlib.blake2b(content, digest_size=16).hexdigest() != published.checksum:
            return None
        # Imported with the first window: the import is slow, and many reports have no windows.
        from airflow_nrt.engine.sinks.result_tables import read_table

        return read_table(insert.sink, published, content, keys, measures), len(content)

    def _root(self, insert: Insert) -> Path:
        return self.copy or Path(insert.sink.path.removeprefix("file://")).absolute()


def _denied(insert: Insert, path: object) -> InputError:
    return InputError(
        f"table {insert.sink.name!r}: no permission to write {path}: let the user of this process write there"
    )


def _check(home: Home, insert: Insert, root: Path) -> None:
    _check_directory(insert, root)
    root.mkdir(parents=True, exist_ok=True)
    if os.stat(root).st_dev != os.stat(home.staged.local).st_dev:
        raise InputError(
            f"table {insert.sink.name!r}: its directory {root} and the home {home.path} are on different file systems, "
            "but results are published by a rename: put the home on the file system of the table"
        )
    owner = home.identity().id
    if not put_if_absent(root / OWNER, owner.encode(), PUBLIC):
        standing = _owner(root / OWNER)
        if standing != owner:
            raise InputError(
                f"table {insert.sink.name!r}: another home publishes to {root} (its id is {standing}{_at(root)}). Is "
                f"the path of this home right, {home.path}? Else give this report a directory of its own, or give that "
                f"home up (`airflow-nrt forget --home {noted_place(root) or 'HOME'}`)"
            )
    note_place(root, home)


def _check_directory(insert: Insert, root: Path) -> None:
    if root.is_file():
        raise InputError(f"table {insert.sink.name!r}: {root} is a file, a directory is needed")


def _at(root: Path) -> str:
    """The path of the home that publishes to a directory, if that is written there."""
    place = noted_place(root)
    return f", its path {place!r}" if place else ""


def _owner(file: Path) -> str:
    """The id in the file. Errors don't quote another content: it may be somebody's data."""
    try:
        text = read_regular(file, _MOST_BYTES_OF_ID).decode(errors="replace")
    except (FileNotFoundError, HomeError) as wrong:
        raise InputError(f"{file} does not say whose the directory is: {wrong}") from None
    if not re.fullmatch("[0-9a-f]+", text):
        raise InputError(f"{file} does not say whose the directory is: take it away if no report publishes there")
    return text
