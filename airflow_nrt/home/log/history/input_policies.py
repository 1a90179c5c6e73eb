"""By which input policies (`model/input/policy.py`) the rows of a history were read.

The leases of drivers have them. Those of earlier versions have none: their homes kept what they began with, but for the
options that changed no result by themselves.
"""

from __future__ import annotations

from airflow_nrt.home.identity.fingerprint import Fingerprint, policies_in
from airflow_nrt.home.log.history.history import History
from airflow_nrt.model.input.policy import Policy, policy_of, policy_options, text_of
from airflow_nrt.model.options.option import nothing
from airflow_nrt.model.plan import Source


def policies_by_batch(source: Source, history: History, facts: Fingerprint) -> dict[int, Policy]:
    """The policies of the batches of a source. `facts` are those that the home was made with."""
    batches = [n for n, commit in history.batches.items() if commit.source == source.name]
    found = {n: (history.input_policies[n] or {}).get(source.name) for n in batches}
    first = next((policy for policy in found.values() if policy is not None), policy_of(source))
    older = _of_older(source, first, facts)
    return {n: older if policy is None else policy for n, policy in found.items()}


def _of_older(source: Source, first: Policy, facts: Fingerprint) -> Policy:
    """The policy of entries that have none; `first` is the first one after them."""
    kept = policies_in(facts, source)
    if kept is None:
        return first
    deciding = {name: one for name, one in policy_options(source.table).items() if one.decides is not nothing}
    defaults = {name: text_of(deciding[name].default) for name in first if name in deciding}
    return {**first, **defaults, **kept}
