"""What a report says that means something else here than in Flink, or that may not be meant: said before it runs."""

from __future__ import annotations

from airflow_nrt.describe.overlaps import missing_sources
from airflow_nrt.model.plan import Plan


def cautions(plan: Plan) -> list[str]:
    """One line each, of the report alone."""
    folded = (source.table for source in plan.sources if source.table.primary_key and not source.table.is_changelog)
    return [
        f"table {table.name!r} has a PRIMARY KEY: of each ({', '.join(table.primary_key)}) the row with the latest "
        "rowtime counts, and takes back what it replaces. Flink reads all rows of files, whatever their key: for that, "
        "leave PRIMARY KEY out"
        for table in folded
    ]


def cautions_of_place(plan: Plan) -> list[str]:
    """Those which depend on where it is asked: a driver may run elsewhere."""
    return [f"{missing}; `run` refuses that" for missing in missing_sources(plan)]
