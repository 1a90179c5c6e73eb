"""JSON_OBJECTAGG: keys and values, both JSON already, as one object with sorted keys. A repeated key is an error."""

from __future__ import annotations

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.aggregates.accumulators import Accumulators, Operand
from airflow_nrt.engine.aggregates.multiset import counted, total
from airflow_nrt.model.operators import AggregateCall


def json_object(call: AggregateCall, operand: Operand) -> Accumulators:
    """The operand is a ROW of key and value; the parameter says what a NULL value becomes.

    >>> from airflow_nrt.basics.types import STRING, DataType
    >>> pair = DataType("ROW", children=(("k", STRING), ("v", STRING)))
    >>> call = AggregateCall("a", "JSON_OBJECTAGG", "p", pair, None, False, STRING, "JSON_OBJECTAGG(…)", ("NULL",))
    >>> operand = Operand("p", "p", "p IS NOT NULL", "true", pair)
    >>> print(json_object(call, operand).result)
    CASE WHEN exists(array_distinct(transform(transform(set_p, x -> x.value), p -> p.k)), k -> k IS NULL) THEN
    raise_error(concat('JSON_OBJECTAGG(…) has a key that is NULL ', {place})) WHEN
    size(array_distinct(transform(transform(set_p, x -> x.value), p -> p.k))) < aggregate(set_p, 0L, (t, x) -> t + x.n)
    THEN raise_error(concat('JSON_OBJECTAGG(…) has a key more than once ', {place})) ELSE concat('{',
    array_join(transform(transform(set_p, x -> x.value), p -> concat(p.k, ':', coalesce(p.v, 'null'))), ','), '}') END
    """
    one = counted(operand)
    pairs = f"transform({one.name}, x -> x.value)"
    kept = pairs if call.parameters == ("NULL",) else f"filter({pairs}, p -> p.v IS NOT NULL)"
    members = f"transform({kept}, p -> concat(p.k, ':', coalesce(p.v, 'null')))"
    keys = f"array_distinct(transform({pairs}, p -> p.k))"
    result = (
        f"CASE WHEN exists({keys}, k -> k IS NULL) THEN {_failure(call, 'a key that is NULL')} "
        f"WHEN size({keys}) < {total(one.name)} THEN {_failure(call, 'a key more than once')} "
        f"ELSE concat('{{', array_join({members}, ','), '}}') END"
    )
    return Accumulators((one,), result, additive=False)


def _failure(call: AggregateCall, what: str) -> str:
    return f"raise_error(concat({string_literal(f'{call.text} has {what} ')}, {{place}}))"
