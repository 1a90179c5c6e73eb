"""Warnings before a report runs: what means something else here than in Flink, or is probably a mistake."""

from __future__ import annotations

from airflow_nrt.describe.overlaps import missing_tables
from airflow_nrt.model.plan import Plan


def cautions(plan: Plan) -> list[str]:
    """Cautions that depend on the report alone, one line each."""
    # A temporal join reads all rows of a versioned table.
    read_as_tables = {name for one in plan.updating for query in one.inputs for name in query.inputs}
    keyed = (source.table for source in plan.sources if source.table.primary_key and not source.table.is_changelog)
    folded = (table for table in keyed if table.name in read_as_tables)
    found = [
        f"table {table.name!r} has a PRIMARY KEY: of each ({', '.join(table.primary_key)}) the row with the latest "
        "rowtime counts, and retracts the row that it replaces. Flink reads all rows of files, whatever their key: for "
        "that, leave PRIMARY KEY out"
        for table in folded
    ]
    if plan.reserved:
        quoted = ", ".join(f"`{name}`" for name in plan.reserved)
        found.append(f"reserved in Flink SQL, which takes such a name only in back-quotes: write {quoted}")
    return found


def cautions_of_place(plan: Plan) -> list[str]:
    """Cautions that depend on this host: a driver may run on another."""
    return [f"{missing}; `run` refuses that" for missing in missing_tables(plan)]
