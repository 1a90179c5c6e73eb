"""ARRAY and MAP: their values, their elements, their functions. Positions count from 1."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import BOOLEAN, NULL, DataType
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import (
    TEXT,
    TRUTH,
    WHOLE,
    Function,
    any_nullable,
    as_common,
    bound,
    check_count,
    check_integer,
    check_string,
    strict,
)
from airflow_nrt.sql.expressions.typed import Typed, common_type


def array_of(element: DataType, nullable: bool = False) -> DataType:
    return DataType("ARRAY", nullable=nullable, children=(("element", element),))


def map_of(entries: str) -> str:
    """A map of (key, value) structs. If keys repeat, the last one counts.

    >>> print(map_of("entries"))
    transform(array(entries), _nrt_x -> map_from_entries(filter(_nrt_x, (_nrt_e, _nrt_i) -> NOT exists(slice(_nrt_x,
    _nrt_i + 2, size(_nrt_x)), _nrt_l -> _nrt_l.key = _nrt_e.key))))[0]
    """
    later = "slice(_nrt_x, _nrt_i + 2, size(_nrt_x))"
    last = f"filter(_nrt_x, (_nrt_e, _nrt_i) -> NOT exists({later}, _nrt_l -> _nrt_l.key = _nrt_e.key))"
    return bound(entries, f"map_from_entries({last})")


def _common(arguments: Sequence[Typed], at: Place, what: str) -> DataType:
    kind = common_type([argument.type for argument in arguments])
    if kind is None:
        listed = ", ".join(dict.fromkeys(argument.type.flink for argument in arguments))
        raise SqlError(f"the {what} have different types: {listed}", at)
    if kind.name in ("NULL", "INTERVAL"):
        raise SqlError(f"the {what} have no type: CAST one of them", at)
    return kind


def _listed(values: Sequence[Typed], kind: DataType) -> str:
    """SQL of values as one type.

    >>> print(_listed([Typed("`n`", WHOLE)], DataType("BIGINT")))
    CAST(`n` AS BIGINT)
    """
    return ", ".join(as_common(value, kind) for value in values)


def _array(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """ARRAY[n, big] is "array(CAST(`n` AS BIGINT), CAST(`big` AS BIGINT))"."""
    if not arguments:
        raise SqlError("ARRAY[ ] wants at least one element", at)
    element = _common(arguments, at, "elements of ARRAY[ ]")
    return Typed(f"array({_listed(arguments, element)})", array_of(element))


def _map(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """MAP['a', n] is "map_from_entries(array(struct(CAST('a' AS STRING) AS key, CAST(`n` AS INT) AS value)))"."""
    if not arguments or len(arguments) % 2:
        raise SqlError("MAP[ ] wants keys and values in turn", at)
    keys, values = arguments[::2], arguments[1::2]
    key, value = _common(keys, at, "keys of MAP[ ]"), _common(values, at, "values of MAP[ ]")
    pairs = ", ".join(
        f"struct({as_common(k, key)} AS key, {as_common(v, value)} AS value)" for k, v in zip(keys, values)
    )
    kind = DataType("MAP", nullable=False, children=(("key", key), ("value", value)))
    constants = [k.constant for k in keys]
    if None not in constants and len(set(constants)) == len(constants):
        return Typed(f"map_from_entries(array({pairs}))", kind)
    return Typed(map_of(f"array({pairs})"), kind)


def _element_of(argument: Typed, at: Place, name: str, position: int = 1) -> DataType:
    if argument.type.name != "ARRAY":
        raise SqlError(f"argument {position} of {name} must be an ARRAY, it is {argument.type.flink}", at)
    return argument.type.children[0][1]


def _entry_of(argument: Typed, at: Place, name: str) -> tuple[DataType, DataType]:
    if argument.type.name != "MAP":
        raise SqlError(f"{name} wants a MAP, not {argument.type.flink}", at)
    return argument.type.children[0][1], argument.type.children[1][1]


def _needle(argument: Typed, element: DataType, at: Place, name: str) -> str:
    """The value as an element. Raises SqlError if that would lose something.

    >>> print(_needle(Typed("`n`", WHOLE), WHOLE, Place(1, 1, 0), "ARRAY_CONTAINS"))
    CAST(`n` AS INT)
    """
    kind = common_type([element, argument.type])
    if kind is None or (kind.spark != element.spark):
        raise SqlError(f"{name}: {argument.type.flink} is no element of ARRAY<{element}>: CAST it", at)
    return f"CAST({argument.sql} AS {element.spark})"


def _item(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """`array[1]` and `map['key']`: NULL where there is none.

    arr[1] is "get(`arr`, 1 - 1)".
    """
    holder, index = arguments
    if holder.type.name == "MAP":
        key, value = _entry_of(holder, at, name)
        return Typed(f"try_element_at({holder.sql}, {_needle(index, key, at, name)})", value.with_nullable(True))
    if holder.type.name != "ARRAY":
        raise SqlError(f"[ ] takes an element of an ARRAY or a MAP, not of {holder.type.flink}", at)
    check_integer(index, 1, at, name)
    if index.constant is not None and int(index.constant) < 1:
        raise SqlError(f"the elements of an ARRAY begin at 1, there is no element {index.constant}", at)
    return Typed(f"get({holder.sql}, {index.sql} - 1)", holder.type.children[0][1].with_nullable(True))


def _cardinality(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """CARDINALITY(m) is "size(`m`)"."""
    check_count(arguments, at, name, 1, 1)
    if arguments[0].type.name not in ("ARRAY", "MAP"):
        raise SqlError(f"{name} wants an ARRAY or a MAP, not {arguments[0].type.flink}", at)
    return Typed(f"size({arguments[0].sql})", WHOLE.with_nullable(any_nullable(arguments)))


def _only_element(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """ELEMENT(arr) is "IF(size(`arr`) > 1, CAST(raise_error('ELEMENT: the array has more than one element') AS STRING),
    get(`arr`, 0))".
    """
    check_count(arguments, at, name, 1, 1)
    element = _element_of(arguments[0], at, name)
    several = f"CAST(raise_error('{name}: the array has more than one element') AS {element.spark})"
    array = arguments[0].sql
    return Typed(f"IF(size({array}) > 1, {several}, get({array}, 0))", element.with_nullable(True))


def _with_needle(template: str, result: DataType | None) -> Function:
    """A function of an array and a value. Its result has the array's type if none is given."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 2, 2)
        array, value = arguments
        element = _element_of(array, at, name)
        sql = template.format(array.sql, _needle(value, element, at, name))
        if result is not None:
            return Typed(sql, result.with_nullable(any_nullable(arguments)))
        return Typed(sql, array_of(element.with_nullable(element.nullable or value.type.nullable), array.type.nullable))

    return function


def _of_array(template: str) -> Function:
    """A function of one array, whose result has the array's type."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        _element_of(arguments[0], at, name)
        return Typed(template.format(arguments[0].sql), arguments[0].type)

    return function


def _extreme(spark: str) -> Function:
    """ARRAY_MAX(nums) is "array_max(`nums`)"."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        element = _element_of(arguments[0], at, name)
        return Typed(f"{spark}({arguments[0].sql})", element.with_nullable(True))

    return function


def _of_arrays(spark: str, most: int | None = 2) -> Function:
    """A function of several arrays, whose result is an array. NULL if any of them is.

    ARRAY_CONCAT(arr, arr) is "concat(CAST(`arr` AS ARRAY<STRING>), CAST(`arr` AS ARRAY<STRING>))".

    ARRAY_CONCAT(arr, arr) is "concat(CAST(`arr` AS ARRAY<STRING>), CAST(`arr` AS ARRAY<STRING>))".
    """

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1 if most is None else 2, most)
        for position, argument in enumerate(arguments, 1):
            _element_of(argument, at, name, position)
        elements = [Typed("", argument.type.children[0][1]) for argument in arguments]
        kind = array_of(_common(elements, at, f"arrays of {name}"), any_nullable(arguments))
        return Typed(f"{spark}({_listed(arguments, kind)})", kind)

    return function


def _slice(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """ARRAY_SLICE: both ends are included. Positions below 0 count from the end, 0 is 1. The rest is cut.

    ARRAY_SLICE(arr, 1, 2) is "CASE WHEN `arr` IS NULL THEN NULL ELSE transform(array(`arr`), _nrt_x -> filter(_nrt_x,
    (_nrt_e, _nrt_i) -> _nrt_i + 1 BETWEEN CASE WHEN 1 < 0 THEN size(_nrt_x) + 1 + 1 WHEN 1 = 0 THEN 1 ELSE 1 END AND
    CASE WHEN 2 < 0 THEN size(_nrt_x) + 2 + 1 WHEN 2 = 0 THEN 1 ELSE 2 END))[0] END".
    """
    check_count(arguments, at, name, 2, 3)
    _element_of(arguments[0], at, name)
    for position, argument in enumerate(arguments[1:], 2):
        check_integer(argument, position, at, name)
    first, last = arguments[1].sql, arguments[2].sql if len(arguments) == 3 else "-1"
    low, high = (
        f"CASE WHEN {p} < 0 THEN size(_nrt_x) + {p} + 1 WHEN {p} = 0 THEN 1 ELSE {p} END" for p in (first, last)
    )
    inside = f"filter(_nrt_x, (_nrt_e, _nrt_i) -> _nrt_i + 1 BETWEEN {low} AND {high})"
    kind = arguments[0].type.with_nullable(any_nullable(arguments))
    return Typed(strict(arguments, bound(arguments[0].sql, inside)), kind)


def _sort(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """ARRAY_SORT: by default ascending with NULL first. A descending order has NULL last.

    ARRAY_SORT(arr) is "sort_array(`arr`, TRUE)".
    """
    check_count(arguments, at, name, 1, 3)
    _element_of(arguments[0], at, name)
    words = [argument.constant for argument in arguments[1:]]
    if any(word is None or argument.type.name != BOOLEAN.name for word, argument in zip(words, arguments[1:])):
        raise NotThereYet(f"{name} in an order that is not TRUE or FALSE", at)
    ascending = not words or str(words[0]).upper() == "TRUE"
    nulls_first = str(words[1]).upper() == "TRUE" if len(words) == 2 else ascending
    array = arguments[0].sql
    if ascending == nulls_first:
        sql = f"sort_array({array}, {'TRUE' if ascending else 'FALSE'})"
    else:
        sql = f"array_sort({array})" if ascending else f"reverse(array_sort({array}))"
    return Typed(sql, arguments[0].type)


def _join(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """ARRAY_JOIN(arr, ',') is "CASE WHEN `arr` IS NULL THEN NULL ELSE array_join(`arr`, ',') END"."""
    check_count(arguments, at, name, 2, 3)
    if not _element_of(arguments[0], at, name).is_string:
        raise SqlError(f"{name} joins strings, here is {arguments[0].type.flink}", at)
    for position, argument in enumerate(arguments[1:], 2):
        check_string(argument, position, at, name)
    sql = f"array_join({', '.join(argument.sql for argument in arguments)})"
    return Typed(strict(arguments, sql), TEXT.with_nullable(any_nullable(arguments)))


def _map_part(spark: str, part: int) -> Function:
    """MAP_KEYS(m) is "map_keys(`m`)"."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        kind = _entry_of(arguments[0], at, name)[part]
        return Typed(f"{spark}({arguments[0].sql})", array_of(kind, arguments[0].type.nullable))

    return function


def _map_entries(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """MAP_ENTRIES(m) is "map_entries(`m`)"."""
    check_count(arguments, at, name, 1, 1)
    key, value = _entry_of(arguments[0], at, name)
    row = DataType("ROW", nullable=False, children=(("key", key), ("value", value)))
    return Typed(f"map_entries({arguments[0].sql})", array_of(row, arguments[0].type.nullable))


def _map_from_arrays(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """MAP_FROM_ARRAYS(arr, nums) is "CASE WHEN `arr` IS NULL OR `nums` IS NULL THEN NULL ELSE IF(size(`arr`) <>
    size(`nums`), CAST(raise_error('MAP_FROM_ARRAYS: there are more keys than values, or fewer') AS MAP<STRING,INT>),
    transform(array(transform(`arr`, (_nrt_k, _nrt_i) -> struct(_nrt_k AS key, get(`nums`, _nrt_i) AS value))), _nrt_x
    -> map_from_entries(filter(_nrt_x, (_nrt_e, _nrt_i) -> NOT exists(slice(_nrt_x, _nrt_i + 2, size(_nrt_x)), _nrt_l ->
    _nrt_l.key = _nrt_e.key))))[0]) END"."""
    check_count(arguments, at, name, 2, 2)
    key, value = _element_of(arguments[0], at, name), _element_of(arguments[1], at, name, 2)
    keys, values = (argument.sql for argument in arguments)
    zipped = f"transform({keys}, (_nrt_k, _nrt_i) -> struct(_nrt_k AS key, get({values}, _nrt_i) AS value))"
    differ = f"raise_error('{name}: there are more keys than values, or fewer')"
    kind = DataType("MAP", nullable=any_nullable(arguments), children=(("key", key), ("value", value)))
    sql = f"IF(size({keys}) <> size({values}), CAST({differ} AS {kind.spark}), {map_of(zipped)})"
    return Typed(strict(arguments, sql), kind)


def _map_union(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """MAP_UNION(m, m) is "CASE WHEN `m` IS NULL OR `m` IS NULL THEN NULL ELSE
    transform(array(concat(map_entries(CAST(`m` AS MAP<STRING,INT>)), map_entries(CAST(`m` AS MAP<STRING,INT>)))),
    _nrt_x -> map_from_entries(filter(_nrt_x, (_nrt_e, _nrt_i) -> NOT exists(slice(_nrt_x, _nrt_i + 2, size(_nrt_x)),
    _nrt_l -> _nrt_l.key = _nrt_e.key))))[0] END"."""
    check_count(arguments, at, name, 1, None)
    entries = [_entry_of(argument, at, name) for argument in arguments]
    key = _common([Typed("", one) for one, _ in entries], at, f"keys of {name}")
    value = _common([Typed("", one) for _, one in entries], at, f"values of {name}")
    kind = DataType("MAP", nullable=any_nullable(arguments), children=(("key", key), ("value", value)))
    listed = ", ".join(f"map_entries(CAST({argument.sql} AS {kind.spark}))" for argument in arguments)
    return Typed(strict(arguments, map_of(f"concat({listed})")), kind)


def _row(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """A ROW of values, whose fields have Flink's names."""
    check_count(arguments, at, name, 1, None)
    names = [Typed("", NULL, f"EXPR${n}") for n in range(len(arguments))]
    return named_row([part for pair in zip(names, arguments) for part in pair], at, name)


def named_row(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """A ROW of names, which are keywords, each followed by its value.

    ROW(n, s) is "named_struct('EXPR$0', `n`, 'EXPR$1', `s`)".
    """
    fields = [(key.constant or "", value) for key, value in zip(arguments[::2], arguments[1::2])]
    items = ", ".join(f"{string_literal(key)}, {value.sql}" for key, value in fields)
    kind = DataType("ROW", nullable=False, children=tuple((key, value.type) for key, value in fields))
    return Typed(f"named_struct({items})", kind)


COLLECTIONS: dict[str, Function] = {
    "ARRAY[ ]": _array,
    "MAP[ ]": _map,
    "ROW": _row,
    "[ ]": _item,
    "CARDINALITY": _cardinality,
    "ELEMENT": _only_element,
    "ARRAY_CONTAINS": _with_needle("exists({0}, _nrt_e -> _nrt_e <=> {1})", TRUTH),
    "ARRAY_POSITION": _with_needle("CAST(array_position({0}, {1}) AS INT)", WHOLE),
    "ARRAY_REMOVE": _with_needle("filter({0}, _nrt_e -> NOT (_nrt_e <=> {1}))", None),
    "ARRAY_APPEND": _with_needle("array_append({0}, {1})", None),
    "ARRAY_PREPEND": _with_needle("array_prepend({0}, {1})", None),
    "ARRAY_DISTINCT": _of_array("array_distinct({0})"),
    "ARRAY_REVERSE": _of_array("reverse({0})"),
    "ARRAY_MAX": _extreme("array_max"),
    "ARRAY_MIN": _extreme("array_min"),
    "ARRAY_CONCAT": _of_arrays("concat", None),
    "ARRAY_UNION": _of_arrays("array_union"),
    "ARRAY_EXCEPT": _of_arrays("array_except"),
    "ARRAY_INTERSECT": _of_arrays("array_intersect"),
    "ARRAY_SLICE": _slice,
    "ARRAY_SORT": _sort,
    "ARRAY_JOIN": _join,
    "MAP_KEYS": _map_part("map_keys", 0),
    "MAP_VALUES": _map_part("map_values", 1),
    "MAP_ENTRIES": _map_entries,
    "MAP_FROM_ARRAYS": _map_from_arrays,
    "MAP_UNION": _map_union,
}
