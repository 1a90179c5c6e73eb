"""The report's own words for its operators, for people. Results don't depend on them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Written:
    """`names` are pairs of an operator's name of a column and the report's. `where` is the condition on the absorbed
    rows. `columns` are the columns that an aggregate reads.
    """

    names: tuple[tuple[str, str], ...] = ()
    where: str | None = None
    columns: tuple[str, ...] = ()

    def of(self, name: str) -> str | None:
        """The report's name of a column, None if it has none."""
        return dict(self.names).get(name)
