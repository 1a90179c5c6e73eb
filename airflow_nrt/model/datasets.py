"""Names of tables in lineage, by the naming rules of OpenLineage, which its integrations of Airflow and Spark follow.

A namespace says where data are, and a name which of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

_OBJECT_STORES = ("s3", "gs", "wasbs")
"""Beginnings of schemes, such as s3a, that have one name in lineage."""
_DATABASES = {"postgresql": ("postgres", 5432), "mysql": ("mysql", 3306), "mariadb": ("mysql", 3306)}
"""By the kind of a database in a url of JDBC: its scheme in lineage, and its usual port."""


@dataclass(frozen=True)
class DatasetName:
    namespace: str
    name: str


def of_path(place: str) -> DatasetName:
    """The name of a directory, by its path or its URL."""
    url = urlsplit(place)
    path = url.path.rstrip("/") or "/"
    if url.scheme in ("", "file"):
        return DatasetName(f"file://{url.netloc}" if url.netloc else "file", path)
    store = next((one for one in _OBJECT_STORES if url.scheme.startswith(one)), None)
    if store is None:
        return DatasetName(f"{url.scheme}://{url.netloc}", path)
    return DatasetName(f"{store}://{url.netloc}", path.lstrip("/") or "/")


def in_warehouse(warehouse: str, table: str) -> DatasetName:
    """What a catalog whose tables are in a directory calls one of them: `table` is its database and its name."""
    url = urlsplit(warehouse)
    if url.scheme in ("", "file") and not url.netloc:
        return DatasetName(f"file:{url.path.rstrip('/')}", table)
    root = of_path(warehouse)
    return DatasetName(f"{root.namespace}/{root.name.strip('/')}".rstrip("/"), table)


def of_topic(brokers: str, topic: str) -> DatasetName:
    """The name of a topic. The first broker stands for all."""
    return DatasetName(f"kafka://{brokers.partition(',')[0].strip()}", topic)


def of_database(url: str, table: str) -> DatasetName:
    """The name of a table (also `schema.table`) behind a url of JDBC. The first host stands for all."""
    kind, _, rest = url.removeprefix("jdbc:").partition("://")
    scheme, port = _DATABASES[kind]
    at, _, path = rest.partition("?")[0].partition("/")
    # Without a user and a password.
    host = at.rpartition("@")[2].partition(",")[0]
    if not host.rpartition(":")[2].isdecimal():
        host = f"{host}:{port}"
    if "." in table:
        names = table if scheme == "mysql" else f"{path}.{table}"
    elif scheme == "mysql":
        names = f"{path}.{table}"
    else:
        schema = parse_qs(rest.partition("?")[2]).get("currentSchema", ["public"])[0].partition(",")[0]
        names = f"{path}.{schema}.{table}"
    return DatasetName(f"{scheme}://{host}", names)
