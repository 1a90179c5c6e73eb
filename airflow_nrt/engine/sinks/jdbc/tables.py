"""The tables beside a table of results: staged rows, whose they are, and which entry each window is of."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sinks.jdbc.database import Database
from airflow_nrt.home.home import Home
from airflow_nrt.model.connectors.jdbc import CREATE, TABLE, jdbc_option
from airflow_nrt.model.plan import Insert

STAGE, ROW, OP, WINDOW = "nrt_stage", "nrt_row", "nrt_op", "nrt_window"
"""Columns of staged rows: what is published together, the row's number there, its operation and its window's end."""


def stages_of(home: Home, insert: Insert, by_driver: bool) -> str:
    """What the names of staged rows begin with: those of drivers, or those of backfills."""
    return f"{home.identity().id}/{insert.name}/{'driver' if by_driver else 'backfill'}-"


@dataclass(frozen=True)
class Tables:
    """The tables of an insert, with quoted names. `staged` has its results before they are visible.

    `owners` says which home publishes into a table, and the epoch of the driver that did so last. `windows` has the log
    entry of each published window; where there are no windows, the last entry ('' as window).
    """

    database: Database
    insert: Insert

    @property
    def name(self) -> str:
        """As the report writes it."""
        return self.insert.sink.options[TABLE]

    @property
    def table(self) -> str:
        return self.database.dialect.table(self.name)

    @property
    def staging_name(self) -> str:
        return f"{self.name}_nrt_staged"

    @property
    def staged(self) -> str:
        return self.database.dialect.table(self.staging_name)

    @property
    def owners(self) -> str:
        return self._beside("nrt_owners")

    @property
    def windows(self) -> str:
        return self._beside("nrt_windows")

    def _beside(self, name: str) -> str:
        schema, separator, _ = self.name.rpartition(".")
        return self.database.dialect.table(f"{schema}{separator}{name}")

    @property
    def columns(self) -> list[str]:
        """The quoted columns of a result."""
        return [self.database.dialect.name(column.name) for column in self.insert.sink.physical]

    def ready(self, home: Home) -> None:
        """Makes what is missing, and claims the table for a home. Raises InputError if that can't be."""
        self._check_table()
        self._make_beside()
        self._claim(home)
        # Of drivers that died; one that still lives is about to be fenced.
        self.drop_staged(stages_of(home, self.insert, by_driver=True))

    def drop_staged(self, prefix: str) -> None:
        """Removes staged rows, whose names begin with this."""
        literal = self.database.dialect.literal(prefix)
        self.database.execute(f"DELETE FROM {self.staged} WHERE LEFT({STAGE}, {len(prefix)}) = {literal}")

    def _check_table(self) -> None:
        sink = self.insert.sink
        if not self.database.columns(self.name):
            if not jdbc_option(sink, CREATE):
                raise InputError(
                    f"table {sink.name!r}: there is no table {self.name} in the database: create it, or set "
                    f"'{CREATE}' = 'true'. It would be: {self.ddl()}"
                )
            for statement in self.ddl().split(";\n"):
                self.database.execute(statement)
        found = self.database.columns(self.name)
        missing = [column.name for column in sink.physical if column.name not in found]
        if missing:
            raise InputError(
                f"table {sink.name!r}: table {self.name} of the database has no column {missing[0]!r}; it has "
                f"{', '.join(found)}"
            )
        if sink.primary_key and frozenset(sink.primary_key) not in self.database.unique_keys(self.name):
            key = ", ".join(sink.primary_key)
            raise InputError(
                f"table {sink.name!r}: table {self.name} of the database has no primary key or unique index of exactly "
                f"({key}), by which rows are replaced: add one"
            )

    def ddl(self) -> str:
        """The statements that create the table."""
        dialect, sink = self.database.dialect, self.insert.sink
        columns = [
            f"{dialect.name(one.name)} {dialect.created_type(one, one.name in sink.primary_key)}"
            f"{' NOT NULL' if one.name in sink.primary_key else ''}"
            for one in sink.physical
        ]
        if sink.primary_key:
            columns.append(f"PRIMARY KEY ({', '.join(map(dialect.name, sink.primary_key))})")
        made = f"CREATE TABLE {self.table} ({', '.join(columns)}){dialect.suffix}"
        end = self.insert.end_column
        if end is None:
            return made
        index = dialect.name(f"{self.name.rpartition('.')[2]}_{end}")
        return f"{made};\nCREATE INDEX {index} ON {self.table} ({dialect.name(end)})"

    def _make_beside(self) -> None:
        dialect = self.database.dialect
        name, number, text, end = "VARCHAR(255) NOT NULL", f"{dialect.integer} NOT NULL", dialect.text, dialect.suffix
        place = f"{STAGE} {name}, {ROW} {number}, {OP} VARCHAR(2), {WINDOW} VARCHAR(20)"
        rows = ", ".join(f"{column} {text}" for column in self.columns)
        self.database.execute(f"CREATE TABLE IF NOT EXISTS {self.staged} ({place}, {rows}){end}")
        if not {column.name for column in self.insert.sink.physical} <= self.database.columns(self.staging_name).keys():
            # Left by a version of the report with other columns. What it held was published before, or is staged again.
            self.database.execute(f"DROP TABLE {self.staged}")
            self._make_beside()
        self.database.execute(
            f"CREATE TABLE IF NOT EXISTS {self.owners} (name {name}, insert_name {name}, home {name}, epoch {number}, "
            f"PRIMARY KEY (name, insert_name)){end}"
        )
        self.database.execute(
            f"CREATE TABLE IF NOT EXISTS {self.windows} (home {name}, insert_name {name}, window_end {name}, entry "
            f"{number}, PRIMARY KEY (home, insert_name, window_end)){end}"
        )

    def _claim(self, home: Home) -> None:
        literal = self.database.dialect.literal
        mine, owner = literal(self.name), home.identity().id
        with self.database.transaction():
            others = self.database.rows(f"SELECT insert_name, home FROM {self.owners} WHERE name = {mine} FOR UPDATE")
            foreign = [one for _, one in others if one != owner]
            if foreign:
                raise InputError(
                    f"table {self.insert.sink.name!r}: another home publishes to table {self.name} (its id is "
                    f"{foreign[0]}); give this report a table of its own, or delete the row of {self.owners}"
                )
            if self.insert.name not in {name for name, _ in others}:
                self.database.execute(
                    f"INSERT INTO {self.owners} VALUES ({mine}, {literal(self.insert.name)}, {literal(owner)}, 0)"
                )
