"""Settings of Spark that tables need, beside those that users give."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.basics.errors import InputError

EXTENSIONS = "spark.sql.extensions"
"""A list: extensions of several libraries work side by side."""


def with_needed(own: Mapping[str, str], needed: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Settings of a user, and those that tables need, by the tables' names. The user's own win; extensions are joined.

    Raises InputError if two tables need different values.
    """
    found: dict[str, str] = {}
    table_of: dict[str, str] = {}
    for table, settings in needed.items():
        for name, text in settings.items():
            if name == EXTENSIONS:
                found[name] = joined(found.get(name, ""), text)
                continue
            if found.setdefault(name, text) != text:
                raise InputError(
                    f"tables {table_of[name]!r} and {table!r} need different values of {name}, {found[name]!r} and "
                    f"{text!r}: give their catalogs different names"
                )
            table_of.setdefault(name, table)
    both = EXTENSIONS in own and EXTENSIONS in found
    return {**found, **own, **({EXTENSIONS: joined(own[EXTENSIONS], found[EXTENSIONS])} if both else {})}


def joined(*lists: str) -> str:
    """Comma-separated lists as one, each name once."""
    names = (name.strip() for one in lists for name in one.split(","))
    return ",".join(dict.fromkeys(name for name in names if name))
