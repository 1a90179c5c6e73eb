"""Format `maxwell-json`: `{"data": {…}, "old": {"price": 3}, "type": "update"}`, whose `old` has what changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.model.options.change_formats.change_format import ChangeFormat, Record
from airflow_nrt.model.options.change_formats.old_fields import with_old_fields

_STATEMENTS = tuple(f"{kind}-{what}" for kind in ("database", "table") for what in ("create", "alter", "drop"))
"""Records of DDL statements."""


class Maxwell(ChangeFormat):
    name = "maxwell-json"
    op = "type"
    inserts = ("insert",)
    updates = "update"
    deletes = "delete"

    def images(self, row: str) -> str:
        return f"data {row}, old {row}"

    def inserted(self, at: str) -> str:
        """
        >>> print(Maxwell().inserted("r"))
        array(r.data)
        """
        return f"array({at}.data)"

    def deleted(self, at: str) -> str:
        return self.inserted(at)

    def before(self, at: str) -> str:
        """
        >>> print(Maxwell().before("r"))
        array(IF(json_object_keys(r.data) IS NOT NULL AND json_object_keys(r.old) IS NOT NULL, concat('{',
        concat_ws(',', nullif(substring(r.old, 2, length(r.old) - 2), ''), nullif(substring(r.data, 2, length(r.data) -
        2), '')), '}'), NULL))
        """
        return f"array({with_old_fields(f'{at}.data', f'{at}.old')})"

    def unwanted(self, at: str, options: Mapping[str, str]) -> str:
        """
        >>> print(Maxwell().unwanted("r", {}))
        r.`type` IN ('database-create', 'database-alter', 'database-drop', 'table-create', 'table-alter', 'table-drop')
        """
        return f"{at}.`type` IN ({', '.join(map(string_literal, _STATEMENTS))})"

    def written(self, row: str, is_gone: str) -> str:
        """
        >>> print(Maxwell().written("r", "gone"))
        struct(r AS data, IF(gone, 'delete', 'insert') AS `type`)
        """
        return f"struct({row} AS data, {self.operation(is_gone)})"

    def row(self, at: str) -> str:
        return f"{at}.data"

    def row_in(self, record: Record) -> Mapping[str, Any]:
        found: Mapping[str, Any] = record["data"]
        return found

    def added(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {"data": row, self.op: self.inserts[0]}
