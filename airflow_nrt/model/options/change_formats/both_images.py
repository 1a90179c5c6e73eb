"""Formats of changes whose records have the whole rows before and after a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_nrt.model.options.change_formats.change_format import ChangeFormat, Record


class BothImages(ChangeFormat):
    """A record is `{"before": {…}, "after": {…}}` with its operation."""

    def images(self, row: str) -> str:
        return f"before {row}, after {row}"

    def inserted(self, at: str) -> str:
        """
        >>> from airflow_nrt.model.options.change_formats.ogg import Ogg
        >>> print(Ogg().inserted("r"))
        array(r.after)
        """
        return f"array({at}.after)"

    def deleted(self, at: str) -> str:
        """
        >>> from airflow_nrt.model.options.change_formats.ogg import Ogg
        >>> print(Ogg().deleted("r"))
        array(r.before)
        """
        return f"array({at}.before)"

    def before(self, at: str) -> str:
        return self.deleted(at)

    def written(self, row: str, is_gone: str) -> str:
        """
        >>> from airflow_nrt.model.options.change_formats.ogg import Ogg
        >>> print(Ogg().written("r", "gone"))
        struct(IF(gone, r, NULL) AS before, IF(gone, NULL, r) AS after, IF(gone, 'D', 'I') AS `op_type`)
        """
        sides = f"IF({is_gone}, {row}, NULL) AS before, IF({is_gone}, NULL, {row}) AS after"
        return f"struct({sides}, {self.operation(is_gone)})"

    def row(self, at: str) -> str:
        """
        >>> from airflow_nrt.model.options.change_formats.ogg import Ogg
        >>> print(Ogg().row("r"))
        coalesce(r.after, r.before)
        """
        return f"coalesce({at}.after, {at}.before)"

    def row_in(self, record: Record) -> Mapping[str, Any]:
        found: Mapping[str, Any] = record["after" if self.is_added(record) else "before"]
        return found

    def added(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {self.op: self.inserts[0], "after": row}
