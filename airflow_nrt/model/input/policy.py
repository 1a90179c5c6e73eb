"""The input policy of a source: what becomes of input that can't be read. A living home may change it.

The lease of a driver has the policies of its sources, so that backfill and verification read the rows of each entry by
its own (`home/log/history/input_policies.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.input.rejected_limit import rejected_limit
from airflow_nrt.model.options.known import NOT_NULL, NULL_ROWTIME, REJECTED_LIMIT
from airflow_nrt.model.options.option import Option
from airflow_nrt.model.plan import Plan, Source
from airflow_nrt.model.tables import Table

Policy = Mapping[str, str]
"""The values of options, by their names."""
_OF_EVERY_FORMAT = ("scan.", "source.")


def policy_of(source: Source) -> Policy:
    """The policy by which its next rows are read, also where it is the default.

    The limit of rejected rows decides where an option is not set, so that these are no part of it then.
    """
    table, known = source.table, policy_options(source.table)
    always = {name for name in known if name.startswith(_OF_EVERY_FORMAT) and name != NULL_ROWTIME}
    values = {name: text_of(known[name].default) for name in always} | {
        name: text for name, text in table.options.items() if name in known
    }
    if REJECTED_LIMIT in known:
        values[REJECTED_LIMIT] = str(rejected_limit(table))
    return {**dict(sorted(values.items())), NOT_NULL: "drop" if source.drops_null else "error"}


def policies_of(plan: Plan) -> dict[str, Policy]:
    """The policies of the sources, by their names."""
    return {source.name: policy_of(source) for source in plan.sources}


def read_under(source: Source, policy: Policy) -> Source:
    """The source as it is read under a policy."""
    options = {
        **_without_policy(source.table).options,
        **{name: text for name, text in policy.items() if name != NOT_NULL},
    }
    return replace(source, table=replace(source.table, options=options), drops_null=policy[NOT_NULL] == "drop")


def without_policies(plan: Plan) -> Plan:
    """The plan as it is whatever its input policies are."""
    sources = tuple(replace(one, table=_without_policy(one.table)) for one in plan.sources)
    lookups = tuple(replace(one, table=_without_policy(one.table)) for one in plan.lookups)
    return replace(plan, sources=sources, lookups=lookups)


def policy_options(table: Table) -> dict[str, Option]:
    """The options of input policies that a table can have, by their names."""
    return {name: one for name, one in connector_of(table).options.items() if one.of_policy}


def _without_policy(table: Table) -> Table:
    known = policy_options(table)
    return replace(table, options={name: text for name, text in table.options.items() if name not in known})


def text_of(value: object) -> str:
    """A default as it would be written."""
    return str(value).lower()
