"""How a report writes what its operators do, for people: nothing is computed by it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Written:
    """`names` are an operator's own names of columns, and what the report calls them. `where` is the condition on the
    rows that it absorbs, `columns` are those that it looks at, where it aggregates.
    """

    names: tuple[tuple[str, str], ...] = ()
    where: str | None = None
    columns: tuple[str, ...] = ()

    def of(self, name: str) -> str | None:
        """The report's own words, None where it has none."""
        return dict(self.names).get(name)
