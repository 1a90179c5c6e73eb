"""The lineage of a task for OpenLineage: tables by their paths, their columns, and the origins of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.providers.openlineage.extractors import OperatorLineage
from openlineage.client.event_v2 import Dataset as Table
from openlineage.client.facet_v2 import column_lineage_dataset as columns_of
from openlineage.client.facet_v2 import schema_dataset, sql_job

if TYPE_CHECKING:
    from airflow_nrt.describe.lineage import Dataset, Lineage

_NAMESPACE = "file"


def facets(lineage: Lineage) -> OperatorLineage[Any, Any]:
    """Tables without a path, those of `print`, are left out."""
    paths = {source.name: source.path for source in lineage.sources if source.path is not None}
    return OperatorLineage(
        inputs=[_table(one, one.path) for one in lineage.sources if one.path is not None],
        outputs=[_result(one, one.path, paths) for one in lineage.results if one.path is not None],
        job_facets={"sql": sql_job.SQLJobFacet(query=lineage.script)} if lineage.script else {},
    )


def _table(one: Dataset, path: str) -> Table:
    fields = [schema_dataset.SchemaDatasetFacetFields(name=name, type=kind) for name, kind in one.columns]
    return Table(_NAMESPACE, path, facets={"schema": schema_dataset.SchemaDatasetFacet(fields=fields)})


def _result(one: Dataset, path: str, paths: dict[str, str]) -> Table:
    made = _table(one, path)
    fields = {
        column: columns_of.Fields(
            inputFields=[columns_of.InputField(_NAMESPACE, paths[table], name) for table, name in origins]
        )
        for column, origins in one.origins.items()
        if all(table in paths for table, _ in origins)
    }
    if fields:
        made.facets = {**(made.facets or {}), "columnLineage": columns_of.ColumnLineageDatasetFacet(fields=fields)}
    return made
