"""OVER calls of one SELECT whose rows wait for different events: a time, or later rows of one partition or another.

    SUM(price) OVER (… RANGE INTERVAL '1' HOUR PRECEDING)     w1: a row has it at its time        ┐
    LEAD(price) OVER (PARTITION BY shop …)                    w2: … with the next row of the shop ├ w4: with the last
    LEAD(price) OVER (PARTITION BY user …)                    w3: … with the next row of the user ┘     of its parts

Each of them is a part of the SELECT with an operator of its own. One more operator joins the parts of a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import POSITION_TYPE, Field
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.operators import AggregateCall, Query, RowFrame, WindowAggregate
from airflow_nrt.model.windows import over
from airflow_nrt.model.written import Written
from airflow_nrt.sql.relations.findings import Findings

Part = tuple[tuple[AggregateCall, RowFrame], ...]


def parts_of(calls: Part) -> list[Part]:
    """The calls, grouped by what their rows wait for. Calls that wait for a time come first.

    They are one part if one operator is enough: if no frame has rows that follow, or if all frames have one partition
    and no length of time, so that rows are complete in their order.
    """
    lengths = any(frame.unit == "RANGE" and (frame.low is not None or frame.high) for _, frame in calls)
    in_order = not lengths and len({frame.partition for _, frame in calls}) == 1
    if in_order or not any(frame.follows for _, frame in calls):
        return [calls]
    parts: dict[tuple[str, ...] | None, Part] = {}
    for call, frame in calls:
        waits_for = frame.partition if frame.follows else None
        parts[waits_for] = (*parts.get(waits_for, ()), (call, frame))
    return [parts[one] for one in sorted(parts, key=lambda one: one is not None)]


def put_together(findings: Findings, parts: Sequence[WindowAggregate], columns: Mapping[str, Field]) -> WindowAggregate:
    """The operator that joins the rows of these parts, with the results of each. The first part has the `columns`."""
    own = [{call.name: Field(call.name, call.type) for call in part.aggregates} for part in parts]
    own[0] = {**{field.name: field for field in columns.values()}, **own[0]}
    fields = tuple(field for part in own for field in part.values())

    def given(part: WindowAggregate, names: Mapping[str, Field]) -> str:
        """SQL of the columns of one part, and NULL in place of the others'.

        SELECT k0, a0, CAST(NULL AS INT) AS a1, p, _nrt_end FROM `w1`
        """
        items = [f.name if f.name in names else f"CAST(NULL AS {f.type.spark}) AS {f.name}" for f in fields]
        return f"SELECT {', '.join([*items, 'p', WINDOW_END])} FROM {quote(part.name)}"

    titles = {field.name: name for name, field in columns.items()}
    titles |= {call.name: call.text for part in parts for call in part.aggregates}
    return findings.share_operator(
        WindowAggregate(
            name="",
            input=Query(" UNION ALL ".join(map(given, parts, own)), tuple(part.name for part in parts), fields),
            sources=(),
            window=replace(over(), zone=parts[0].window.zone),
            keys=(*fields, Field("p", POSITION_TYPE)),
            aggregates=(),
            rowtime_type=parts[0].rowtime_type,
            clock=parts[0].clock,
            keeps_rows=True,
            parts=len(parts),
            written=Written(tuple(titles.items()), None),
        )
    )
