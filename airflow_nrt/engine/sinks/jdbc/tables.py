"""The tables beside a table of results: staged rows, whose they are, and which entry each window is of."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sinks.jdbc.database import Database
from airflow_nrt.home.home import Home
from airflow_nrt.model.connectors.jdbc import CREATE, TABLE, jdbc_option
from airflow_nrt.model.plan import Insert

_OWNERS = "nrt_owners"
_LONGEST = 40
"""Bytes of a table's name in that of its staged rows: PostgreSQL cuts names at 63."""
STAGE, ROW, OP, WINDOW = "nrt_stage", "nrt_row", "nrt_op", "nrt_window"
"""Columns of staged rows: what is published together, the row's number there, its operation and its window's end."""


def _derived(name: str, of: str) -> str:
    """A name beside another one, which is not too long for a database."""
    digest = hashlib.blake2b(of.encode(), digest_size=4).hexdigest()
    return f"{name.encode()[:_LONGEST].decode(errors='ignore')}_nrt_{digest}"


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
    def place(self) -> str:
        """The name of the table with its schema, however the report writes it."""
        return self.name if "." in self.name else f"{self.database.schema}.{self.name}"

    @property
    def staging_name(self) -> str:
        """Of the table of staged rows: each set of columns has its own, and its name is not too long for a database."""
        schema, separator, table = self.name.rpartition(".")
        columns = json.dumps([self.place, *(column.name for column in self.insert.sink.physical)])
        return f"{schema}{separator}{_derived(table, columns)}"

    @property
    def staged(self) -> str:
        return self.database.dialect.table(self.staging_name)

    @property
    def owners(self) -> str:
        return self._beside(_OWNERS)

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

    def claim(self, home: Home) -> None:
        """Makes the tables beside, and claims the table for a home.

        Raises InputError if that can't be, or if the home is an older copy of itself.
        """
        self.make_beside()
        self._check_log(home)
        with self.database.transaction():
            self._claim(home)
            # Of drivers that died. One that still lives finds that rows are missing, and stages them again.
            self.drop_staged(stages_of(home, self.insert, by_driver=True))

    def _check_log(self, home: Home) -> None:
        """New entries of an older copy would have the numbers of entries that are published, and be taken for them.

        SELECT max(entry) FROM "nrt_windows" WHERE insert_name = 'curve' AND home = 'a1'
        """
        literal = self.database.dialect.literal
        mine = f"insert_name = {literal(self.insert.name)} AND home = {literal(home.identity().id)}"
        ((found,),) = self.database.rows(f"SELECT max(entry) FROM {self.windows} WHERE {mine}")
        # The log is read after the table, because a driver may be publishing.
        if found is not None and int(found) > (last := home.log().last):
            raise InputError(
                f"table {self.insert.sink.name!r}: table {self.name} has results of log entry {found}, and the log of "
                f"{home.path} ends with {last}: the home is an older copy of itself. Use a new home and a new "
                "table, or restore the newer home"
            )

    def owner(self) -> str | None:
        """The id of the home that has claimed the table for the insert, None if none has.

        SELECT home FROM "nrt_owners" WHERE name = 'public.curve' AND insert_name = 'curve'
        """
        schema, separator, _ = self.name.rpartition(".")
        if not self.database.columns(f"{schema}{separator}{_OWNERS}"):
            return None
        literal = self.database.dialect.literal
        here = f"name = {literal(self.place)} AND insert_name = {literal(self.insert.name)}"
        found = self.database.rows(f"SELECT home FROM {self.owners} WHERE {here}")
        return str(found[0][0]) if found else None

    def release(self, home: Home) -> None:
        """Gives up the claim of a home, and what it needs to publish. Rows of results stay.

        DELETE FROM "nrt_owners" WHERE name = 'public.curve' AND insert_name = 'curve' AND home = 'a1'
        DELETE FROM "nrt_windows" WHERE insert_name = 'curve' AND home = 'a1'
        """
        schema, separator, _ = self.name.rpartition(".")
        if not self.database.columns(f"{schema}{separator}{_OWNERS}"):
            return
        literal = self.database.dialect.literal
        mine = f"insert_name = {literal(self.insert.name)} AND home = {literal(home.identity().id)}"
        with self.database.transaction():
            self.database.execute(f"DELETE FROM {self.owners} WHERE name = {literal(self.place)} AND {mine}")
            self.database.execute(f"DELETE FROM {self.windows} WHERE {mine}")

    def drop_staged(self, prefix: str) -> None:
        """Removes staged rows, whose names begin with this.

        DELETE FROM "curve_nrt_422ad9ba" WHERE LEFT(nrt_stage, 3) = 'a1/'
        """
        literal = self.database.dialect.literal(prefix)
        self.database.execute(f"DELETE FROM {self.staged} WHERE LEFT({STAGE}, {len(prefix)}) = {literal}")

    def ready(self) -> None:
        """Makes the table if it is missing and the report says so. Raises InputError if it lacks a column or a key."""
        if not self.check():
            for statement in self.ddl().split(";\n"):
                self.database.execute(statement)
            self.check()

    def check(self) -> bool:
        """Whether there is a table; if there is none, the report says that it is made.

        Raises InputError if it lacks a column or a key.
        """
        sink = self.insert.sink
        found = self.database.columns(self.name)
        if not found and not jdbc_option(sink, CREATE):
            raise InputError(
                f"table {sink.name!r}: there is no table {self.name} in the database: create it, or set "
                f"'{CREATE}' = 'true'. It would be: {self.ddl()}"
            )
        if not found:
            return False
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
        return True

    def ddl(self) -> str:
        """The statements that create the table.

        CREATE TABLE "curve" ("shop" INTEGER NOT NULL, "e" TIMESTAMP(6) NOT NULL, "total" INTEGER, PRIMARY KEY
          ("shop", "e")); CREATE INDEX "curve_nrt_9d28609b" ON "curve" ("e")
        """
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
        index = dialect.name(_derived(self.name.rpartition(".")[2], end))
        return f"{made};\nCREATE INDEX {index} ON {self.table} ({dialect.name(end)})"

    def make_beside(self) -> None:
        """Makes the tables beside that of the report: of staged rows, of owners, and of windows.

        CREATE UNLOGGED TABLE IF NOT EXISTS "curve_nrt_422ad9ba" (nrt_stage VARCHAR(255) NOT NULL, nrt_row BIGINT
          NOT NULL, nrt_op VARCHAR(2), nrt_window VARCHAR(20), "shop" TEXT, "e" TEXT, "total" TEXT)
        CREATE TABLE IF NOT EXISTS "nrt_owners" (name VARCHAR(255) NOT NULL, insert_name VARCHAR(255) NOT NULL, home
          VARCHAR(255) NOT NULL, epoch BIGINT NOT NULL, PRIMARY KEY (name, insert_name))
        CREATE TABLE IF NOT EXISTS "nrt_windows" (home VARCHAR(255) NOT NULL, insert_name VARCHAR(255) NOT NULL,
          window_end VARCHAR(255) NOT NULL, entry BIGINT NOT NULL, PRIMARY KEY (home, insert_name, window_end))
        INSERT INTO "nrt_owners" (name, insert_name, home, epoch) SELECT '', '', '', 0 WHERE true ON CONFLICT (name,
          insert_name) DO UPDATE SET home = EXCLUDED.home, epoch = EXCLUDED.epoch
        """
        dialect = self.database.dialect
        name, number, text, end = "VARCHAR(255) NOT NULL", f"{dialect.integer} NOT NULL", dialect.text, dialect.suffix
        place = f"{STAGE} {name}, {ROW} {number}, {OP} VARCHAR(2), {WINDOW} VARCHAR(20)"
        rows = ", ".join(f"{column} {text}" for column in self.columns)
        # Rows that are lost are staged again (`commit.py` counts them).
        self.database.execute(f"CREATE {dialect.staged} IF NOT EXISTS {self.staged} ({place}, {rows}){end}")
        self.database.execute(
            f"CREATE TABLE IF NOT EXISTS {self.owners} (name {name}, insert_name {name}, home {name}, epoch {number}, "
            f"PRIMARY KEY (name, insert_name)){end}"
        )
        self.database.execute(
            f"CREATE TABLE IF NOT EXISTS {self.windows} (home {name}, insert_name {name}, window_end {name}, entry "
            f"{number}, PRIMARY KEY (home, insert_name, window_end)){end}"
        )
        # A row that is always there, so that whoever claims a table waits for others who do.
        key, nobody = ["name", "insert_name"], "SELECT '', '', '', 0 WHERE true"
        self.database.execute(dialect.upsert(self.owners, [*key, "home", "epoch"], nobody, key))

    def _claim(self, home: Home) -> None:
        """Raises InputError if the table is another home's.

        SELECT home FROM "nrt_owners" WHERE name = '' FOR UPDATE
        SELECT insert_name, home FROM "nrt_owners" WHERE name = 'public.curve' FOR UPDATE
        INSERT INTO "nrt_owners" VALUES ('public.curve', 'curve', 'a1', 0)
        """
        literal = self.database.dialect.literal
        mine, owner = literal(self.place), home.identity().id
        self.database.rows(f"SELECT home FROM {self.owners} WHERE name = '' FOR UPDATE")
        others = self.database.rows(f"SELECT insert_name, home FROM {self.owners} WHERE name = {mine} FOR UPDATE")
        foreign = [one for _, one in others if one != owner]
        if foreign:
            raise InputError(
                f"table {self.insert.sink.name!r}: another home publishes to table {self.name} (its id is "
                f"{foreign[0]}). Is the path of this home right, {home.path}? Else give this report a table of its "
                f"own, or, if that home is gone, delete the row of {self.owners}"
            )
        if self.insert.name not in {name for name, _ in others}:
            self.database.execute(
                f"INSERT INTO {self.owners} VALUES ({mine}, {literal(self.insert.name)}, {literal(owner)}, 0)"
            )
