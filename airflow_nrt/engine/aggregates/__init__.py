"""Aggregates as accumulators: how a row becomes one, how two are merged, how the result is computed.

A family is one file with a function from a call to `Accumulators`, and one line in `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.engine.aggregates.accumulators import Accumulators, Operand
from airflow_nrt.engine.aggregates.average import average
from airflow_nrt.engine.aggregates.count import count
from airflow_nrt.engine.aggregates.extremes import greatest, least
from airflow_nrt.engine.aggregates.json_object import json_object
from airflow_nrt.engine.aggregates.listing import array, json_array, listing
from airflow_nrt.engine.aggregates.multiset import collect
from airflow_nrt.engine.aggregates.neighbour import neighbour
from airflow_nrt.engine.aggregates.percentile import percentile
from airflow_nrt.engine.aggregates.positions import first_value, last_value
from airflow_nrt.engine.aggregates.python import python
from airflow_nrt.engine.aggregates.single_value import single_value
from airflow_nrt.engine.aggregates.total import total
from airflow_nrt.engine.aggregates.variance import variance
from airflow_nrt.model.operators import AggregateCall

FAMILIES: dict[str, Callable[[AggregateCall, Operand], Accumulators]] = {
    "COUNT": count,
    "SUM": total,
    "AVG": average,
    "MIN": least,
    "MAX": greatest,
    "STDDEV_POP": variance,
    "STDDEV_SAMP": variance,
    "VAR_POP": variance,
    "VAR_SAMP": variance,
    "FIRST_VALUE": first_value,
    "LAST_VALUE": last_value,
    "SINGLE_VALUE": single_value,
    "VERSION": last_value,
    "LISTAGG": listing,
    "LAG": neighbour,
    "LEAD": neighbour,
    "ARRAY_AGG": array,
    "JSON_ARRAYAGG": json_array,
    "JSON_OBJECTAGG": json_object,
    "COLLECT": collect,
    "PERCENTILE": percentile,
}


def accumulators(call: AggregateCall, operand: Operand) -> Accumulators:
    """The accumulators of one call over this operand."""
    family = python if call.python is not None else FAMILIES[call.function]
    return family(call, operand)
