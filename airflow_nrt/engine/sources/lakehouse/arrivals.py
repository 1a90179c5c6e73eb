"""Which files of a table are read next: first the table as it is, then what each version adds."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.lakehouse.history import TableHistory, Version, source_files
from airflow_nrt.engine.sources.source import SplitEnumerator
from airflow_nrt.home.log.splits import SourceFile, Split
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.connectors.lakehouse import LakehouseConnector


class TableArrivals(SplitEnumerator):
    """The files of one table. `read` are those that were read before, in their order."""

    def __init__(self, history: TableHistory, read: Iterable[SourceFile]) -> None:
        self._history = history
        files = [file for file in read if file.version is not None]
        self._last = files[-1].version if files else None
        self._first = files[0].version if files else None
        self._read_of_last = {file.path for file in files if file.version == self._last}
        self._at: int | None = None

    def poll(self) -> list[Split]:
        if self._at is not None:
            return self._found(self._history.after(self._at))
        if self._last is None:
            now = self._history.now()
            self._at = now.number
            return list[Split](source_files(now, now.added))
        rest = self._rest(self._last.number) if len(self._read_of_last) < self._last.files else []
        self._at = self._last.number
        return [*rest, *self._found(self._history.after(self._at))]

    def _rest(self, number: int) -> list[Split]:
        """The files of a version of which some were read. All rows of the first version count as its own."""
        whole = self._history.at(number) if self._last == self._first else self._history.only(number)
        return list[Split](source_files(whole, (path for path in whole.added if path not in self._read_of_last)))

    def _found(self, versions: Iterable[Version]) -> list[Split]:
        found: list[Split] = []
        for version in versions:
            self._at = version.number
            if version.change is None:
                found += source_files(version, version.added)
            else:
                self._check_skipped(version)
        return found

    def _check_skipped(self, version: Version) -> None:
        """Raises InputError for a version that changes rows, unless the table says that such are left out."""
        table = self._history.table
        connector = connector_of(table)
        assert isinstance(connector, LakehouseConnector)
        option = connector.skipping[version.change or ""]
        if not connector.option(table, option):
            raise InputError(
                f"table {table.name!r}: version {version.number} {version.change} rows, which may be in results "
                f"already: set '{option}' = 'true' to leave such versions out as a whole, or begin a new home"
            )

    def absorbed(self, splits: Iterable[Split]) -> None:
        """Nothing is kept of them."""
