"""What the SQL between the operators of a plan means, in Python.

SQL is computed by Spark alone. In memory a query is a function from rows to rows. Without one, the rows of its inputs
go on as they are: the key is what the operator groups, partitions or joins by, the value is all the rest.

    Meaning({"counts": lambda views: [row for row in views["w1"] if row.value[0] > 1]})      HAVING COUNT(*) > 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from airflow_nrt.testing.memory.rows import Row

Views = Mapping[str, Sequence[Row]]
"""By name, rows of sources, operators and dimension tables, in the order of their arrival."""
Query = Callable[[Views], Iterable[Row]]
Order = Callable[[Sequence[Row]], Sequence[Row]]


@dataclass(frozen=True)
class Meaning:
    """`queries` by the name of what reads: an operator, a regroup, or an insert; `u1/left` and `u1/right` of a join. A
    query sees the rows of one window, of one batch, or of rows that change those that go, then those that come.
    `orders` are by name of Top-N and deduplication: rows of a partition, in their order of arrival, are put in that of
    their numbers."""

    queries: Mapping[str, Query] = field(default_factory=dict)
    orders: Mapping[str, Order] = field(default_factory=dict)

    def rows(self, reader: str, views: Views, inputs: Iterable[str]) -> list[Row]:
        """The rows of the query by which `reader` reads these inputs."""
        known = {**views, **{name: views.get(name, ()) for name in inputs}}
        query = self.queries.get(reader)
        return [row for name in inputs for row in known[name]] if query is None else list(query(known))

    def ordered(self, operator: str, rows: Sequence[Row]) -> Sequence[Row]:
        return self.orders[operator](rows)
