"""Format `canal-json`: `{"data": [{…}], "old": [{"price": 3}], "type": "UPDATE"}`, whose `old` has what changed.

A record has the rows that one statement changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.model.options.change_formats.change_format import ChangeFormat, Record
from airflow_nrt.model.options.change_formats.old_fields import with_old_fields
from airflow_nrt.model.options.option import Option, pattern

_INCLUDE = {
    name: Option(
        f"canal-json.{name}.include",
        pattern,
        None,
        f"a regular expression: only changes whose '{name}' matches it as a whole are read",
    )
    for name in ("database", "table")
}
_REMOVALS = ("TRUNCATE", "ERASE")
"""DDL statements that remove rows, of which no record says which: they can't be skipped."""


def _whole(expression: str) -> str:
    return rf"^(?:{expression})\z"


class Canal(ChangeFormat):
    name = "canal-json"
    op = "type"
    inserts = ("INSERT",)
    updates = "UPDATE"
    deletes = "DELETE"
    options = tuple(_INCLUDE.values())
    more_fields = ("isDdl", *_INCLUDE)

    def images(self, row: str) -> str:
        return f"data ARRAY<{row}>, old ARRAY<{row}>"

    def inserted(self, at: str) -> str:
        return f"{at}.data"

    def deleted(self, at: str) -> str:
        return f"{at}.data"

    def before(self, at: str) -> str:
        """
        >>> print(Canal().before("r"))
        zip_with(r.data, r.old, (one, was) -> IF(json_object_keys(one) IS NOT NULL AND json_object_keys(was) IS NOT
        NULL, concat('{', concat_ws(',', nullif(substring(was, 2, length(was) - 2), ''), nullif(substring(one, 2,
        length(one) - 2), '')), '}'), NULL))
        """
        return f"zip_with({at}.data, {at}.old, (one, was) -> {with_old_fields('one', 'was')})"

    def unwanted(self, at: str, options: Mapping[str, str]) -> str:
        r"""
        >>> print(Canal().unwanted("r", {"canal-json.table.include": "orders_.*"}))
        NOT r.`table` RLIKE '^(?:orders_.*)\\z' OR r.`type` = 'CREATE' OR coalesce(r.isDdl, 'false') = 'true' AND
        r.`type` NOT IN ('TRUNCATE', 'ERASE')
        """
        given = {name: option.of(options) for name, option in _INCLUDE.items()}
        others = [
            f"NOT {at}.{quote(name)} RLIKE {string_literal(_whole(expression))}"
            for name, expression in given.items()
            if expression is not None
        ]
        removals = ", ".join(map(string_literal, _REMOVALS))
        statement = f"coalesce({at}.isDdl, 'false') = 'true' AND {at}.`type` NOT IN ({removals})"
        return " OR ".join([*others, f"{at}.`type` = 'CREATE'", statement])

    def written(self, row: str, is_gone: str) -> str:
        """
        >>> print(Canal().written("r", "gone"))
        struct(array(r) AS data, IF(gone, 'DELETE', 'INSERT') AS `type`)
        """
        return f"struct(array({row}) AS data, {self.operation(is_gone)})"

    def row(self, at: str) -> str:
        return f"{at}.data[0]"

    def row_in(self, record: Record) -> Mapping[str, Any]:
        found: Mapping[str, Any] = record["data"][0]
        return found

    def added(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {"data": [row], self.op: self.inserts[0]}
