"""What planning has found so far: the sources with the columns that are read, the window operators, the inserts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from airflow_nrt.report.plan import Insert, Source, WindowAggregate
from airflow_nrt.report.tables import Table
from airflow_nrt.sql.relation import Relation
from airflow_nrt.sql.typed import Typed


@dataclass
class Findings:
    read: dict[str, Table] = field(default_factory=dict)
    used: dict[str, set[str]] = field(default_factory=dict)
    operators: list[WindowAggregate] = field(default_factory=list)
    inserts: list[Insert] = field(default_factory=list)

    def note_source(self, table: Table) -> bool:
        """Remembers that a table is read; False if it is read already with other options."""
        used = self.used.setdefault(table.name, set())
        if table.watermark is not None:
            used.add(table.watermark.column)
            used.update(name for name in table.watermark.reads if table.column(name).is_computed)
        return self.read.setdefault(table.name, table) == table

    def note_columns(self, relation: Relation, values: Iterable[Typed]) -> None:
        """Remembers which columns of a source these expressions over it read."""
        if relation.scan is None:
            return
        names = frozenset().union(*(value.columns for value in values))
        self.used[relation.scan].update(name for name in names if relation.column(name).role is None)

    def note_all_columns(self, relation: Relation) -> None:
        if relation.scan is not None:
            self.used[relation.scan].update(column.name for column in relation.columns if column.role is None)

    def share_operator(self, operator: WindowAggregate) -> WindowAggregate:
        """The same operator if it is known already, so that two inserts share one; else this one, under a new name."""
        for known in self.operators:
            if replace(operator, name=known.name) == known:
                return known
        named = replace(operator, name=f"w{len(self.operators) + 1}")
        self.operators.append(named)
        return named

    def sources(self) -> tuple[Source, ...]:
        return tuple(
            Source(table, tuple(c.name for c in table.columns if c.name in self.used[table.name]))
            for table in self.read.values()
        )
