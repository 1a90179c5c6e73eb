"""The schemas of writers that a home keeps: `schemas/<table>.<key or value>/<number>.json`.

The number of a schema never means another one, so what was read can be read again without the registry. A number that
the registry did not know is kept as such: its records were rejected, and stay so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from urllib.parse import quote

from airflow_nrt.engine.sources.avro_confluent.registry import Found
from airflow_nrt.files.formats import Format
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import read_option
from airflow_nrt.model.tables import Table

_FORMAT = Format("the schema")
_LONGEST = 200


@dataclass(frozen=True)
class Kept:
    """What a registry has answered; `registry` is its place, without a login."""

    registry: str
    text: str | None
    why: str

    @property
    def found(self) -> Found:
        return Found(self.text, self.why)


@dataclass(frozen=True)
class KeptSchemas:
    """Those of the keys or values of one table. `directory` is None where nothing is kept.

    `unknown` is whether a number without a schema is kept, too: where its records are rejected, not an error.
    """

    directory: StorePath | None
    unknown: bool = False

    @classmethod
    def of(cls, schemas: StorePath | None, table: Table, side: str) -> KeptSchemas:
        """`schemas` is the directory of a home, None without a home; `side` is `key` or `value`."""
        name, connector = quote(table.name, safe=""), connector_of(table)
        if len(name) > _LONGEST:
            name = blake2b(table.name.encode(), digest_size=16).hexdigest()
        ignore = connector.leniency(table)
        is_lenient = ignore is not None and read_option(table.options, connector.options, ignore)
        return cls(None if schemas is None else schemas / f"{name}.{side}", is_lenient)

    def read(self, numbers: Iterable[int]) -> dict[int, Kept]:
        """Those of these numbers that are kept. Raises HomeError for one that can't be read."""
        kept = {}
        for number in numbers if self.directory is not None else ():
            try:
                kept[number] = read_record(self._path(number), _FORMAT, Kept)
            except FileNotFoundError:
                continue
        return kept

    def keep(self, registry: str, schemas: Mapping[int, Found]) -> None:
        """Keeps what a registry has answered, durably."""
        if self.directory is None or not schemas:
            return
        self.directory.make()
        for number, found in schemas.items():
            if found.text is None and not self.unknown:
                # The registry may know it later.
                continue
            kept = Kept(registry, found.text, found.why)
            self._path(number).replace(record_bytes(_FORMAT, kept))

    def _path(self, number: int) -> StorePath:
        assert self.directory is not None
        return self.directory / f"{number}.json"
