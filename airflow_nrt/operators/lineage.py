"""The lineage of a task for OpenLineage: tables by their names in lineage, their columns, and the origins of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airflow.providers.openlineage.extractors import OperatorLineage
from openlineage.client.event_v2 import Dataset as Table
from openlineage.client.facet_v2 import column_lineage_dataset as columns_of
from openlineage.client.facet_v2 import schema_dataset, sql_job, symlinks_dataset

if TYPE_CHECKING:
    from airflow_nrt.describe.lineage import Dataset, Lineage
    from airflow_nrt.model.datasets import DatasetName

Names = Mapping[str, "tuple[DatasetName, ...]"]


def facets(lineage: Lineage) -> OperatorLineage[Any, Any]:
    """Tables without a name in lineage, such as those of `print`, are left out."""
    names = {source.name: source.names for source in lineage.sources if source.names}
    return OperatorLineage(
        inputs=[_table(one, name) for one in lineage.sources for name in one.names],
        outputs=[_result(one, name, names) for one in lineage.results for name in one.names],
        job_facets={"sql": sql_job.SQLJobFacet(query=lineage.script)} if lineage.script else {},
    )


def _table(one: Dataset, name: DatasetName) -> Table:
    fields = [schema_dataset.SchemaDatasetFacetFields(name=column, type=kind) for column, kind in one.columns]
    made = Table(name.namespace, name.name, facets={"schema": schema_dataset.SchemaDatasetFacet(fields=fields)})
    if one.symlinks:
        links = [symlinks_dataset.Identifier(link.namespace, link.name, "TABLE") for link in one.symlinks]
        made.facets = {**(made.facets or {}), "symlinks": symlinks_dataset.SymlinksDatasetFacet(identifiers=links)}
    return made


def _result(one: Dataset, name: DatasetName, names: Names) -> Table:
    made = _table(one, name)
    fields = {
        column: columns_of.Fields(
            inputFields=[
                columns_of.InputField(known.namespace, known.name, origin)
                for table, origin in origins
                for known in names[table]
            ]
        )
        for column, origins in one.origins.items()
        if all(table in names for table, _ in origins)
    }
    if fields:
        made.facets = {**(made.facets or {}), "columnLineage": columns_of.ColumnLineageDatasetFacet(fields=fields)}
    return made
