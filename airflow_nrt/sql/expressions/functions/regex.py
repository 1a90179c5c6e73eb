"""Functions with regular expressions, which are Java's in Flink and in Spark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import STRING, DataType
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.expressions.functions.collections import map_of
from airflow_nrt.sql.expressions.functions.signature import (
    TEXT,
    TRUTH,
    WHOLE,
    Function,
    any_nullable,
    check_count,
    check_string,
    constant,
    constant_integer,
    scalar,
    strict,
)
from airflow_nrt.sql.expressions.functions.strings import quoted
from airflow_nrt.sql.expressions.typed import Typed

_TOKEN = re.compile(
    r"\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|[^\]])*\]|\(\?<[A-Za-z]\w*>|\(\?|\(|\)|\||[?*]|\{0|.", re.DOTALL
)


def groups_of(pattern: str) -> list[bool]:
    """For each group from 1 on, whether it takes part in every match: it is inside no `|`, `?`, `*` or `{0`."""
    certain: list[bool] = []
    opened = [_Opened(0, 0)]
    closed = _Opened(0, 0)
    for token in _TOKEN.findall(pattern):
        if token in ("?", "*", "{0"):
            certain[closed.start :] = [False] * len(certain[closed.start :])
        closed = _Opened(len(certain), 0)
        if token == "(" or token.startswith("(?<"):
            opened.append(_Opened(len(certain), len(certain) + 1))
            certain.append(True)
        elif token == "(?":
            opened.append(_Opened(len(certain), len(certain)))
        elif token == "|":
            opened[-1] = replace(opened[-1], alternatives=True)
        elif token == ")" and len(opened) > 1:
            closed = opened.pop()
            certain[closed.inside :] = [one and not closed.alternatives for one in certain[closed.inside :]]
    return [one and not opened[0].alternatives for one in certain]


@dataclass(frozen=True)
class _Opened:
    """A parenthesis: how many groups began before it, how many with it, and whether it holds a `|`."""

    start: int
    inside: int
    alternatives: bool = False


def _replace(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """REGEXP_REPLACE: the replacement is literal text, because Flink has no `$1`."""
    replaced = scalar("sss", TEXT, "regexp_replace({0}, {1}, {2})")
    text, pattern, replacement = _three(arguments, at, name)
    return replaced([text, pattern, Typed(quoted(replacement.sql), replacement.type)], at, name)


def _three(arguments: Sequence[Typed], at: Place, name: str) -> Sequence[Typed]:
    check_count(arguments, at, name, 3, 3)
    return arguments


def _group(arguments: Sequence[Typed], at: Place, name: str, default: int) -> int:
    """The constant group. Raises NotThereYet for a group that may take no part in a match: it would be NULL there."""
    check_count(arguments, at, name, 2, 3)
    check_string(arguments[0], 1, at, name)
    check_string(arguments[1], 2, at, name)
    group = constant_integer(arguments[2], at, name, "a group") if len(arguments) == 3 else default
    if group > 0:
        certain = groups_of(constant(arguments[1], at, name, "a pattern"))
        if group <= len(certain) and not certain[group - 1]:
            raise NotThereYet(f"{name} of a group that may take no part in a match", at, "make it (…|) or (…)")
    return group


def _exists(arguments: Sequence[Typed], group: int) -> bool:
    return group == 0 or 0 < group <= len(groups_of(arguments[1].constant or ""))


def _extract(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """REGEXP_EXTRACT: NULL if nothing matches, and for a group that the pattern does not have.

    REGEXP_EXTRACT(s, '(a)', 1) is "CASE WHEN `s` RLIKE '(a)' THEN regexp_extract(`s`, '(a)', 1) END".
    """
    group = _group(arguments, at, name, 0)
    if not _exists(arguments, group):
        return Typed("CAST(NULL AS STRING)", STRING)
    text, pattern = arguments[0].sql, arguments[1].sql
    return Typed(f"CASE WHEN {text} RLIKE {pattern} THEN regexp_extract({text}, {pattern}, {group}) END", STRING)


def _extract_all(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """REGEXP_EXTRACT_ALL(s, '(a)', 1) is "regexp_extract_all(`s`, '(a)', 1)"."""
    group = _group(arguments, at, name, 1)
    kind = DataType("ARRAY", children=(("element", STRING),))
    if not _exists(arguments, group):
        return Typed("CAST(NULL AS ARRAY<STRING>)", kind)
    return Typed(f"regexp_extract_all({arguments[0].sql}, {arguments[1].sql}, {group})", kind)


def _matches(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """REGEXP: an empty pattern matches nothing.

    REGEXP(s, t) is "CASE WHEN `s` IS NULL OR `t` IS NULL THEN NULL ELSE (`t` <> '' AND `s` RLIKE `t`) END".
    """
    check_count(arguments, at, name, 2, 2)
    check_string(arguments[0], 1, at, name)
    check_string(arguments[1], 2, at, name)
    text, pattern = arguments[0].sql, arguments[1].sql
    sql = f"({pattern} <> '' AND {text} RLIKE {pattern})"
    return Typed(strict(arguments, sql), TRUTH.with_nullable(any_nullable(arguments)))


def _to_map(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    r"""STR_TO_MAP: delimiters are regular expressions, a later key wins, empty parts at the end are dropped.

    STR_TO_MAP(s) is "CASE WHEN `s` IS NULL THEN NULL ELSE IF(`s` = '', CAST(map() AS MAP<STRING,STRING>),
    transform(array(transform(transform(split(regexp_replace(`s`, concat('(?:', ',', ')+\\z'), ''), ','), _nrt_p ->
    split(_nrt_p, '=', 2)), _nrt_p -> struct(_nrt_p[0] AS key, get(_nrt_p, 1) AS value))), _nrt_x ->
    map_from_entries(filter(_nrt_x, (_nrt_e, _nrt_i) -> NOT exists(slice(_nrt_x, _nrt_i + 2, size(_nrt_x)), _nrt_l ->
    _nrt_l.key = _nrt_e.key))))[0]) END".
    """
    check_count(arguments, at, name, 1, 3)
    for position, argument in enumerate(arguments, 1):
        check_string(argument, position, at, name)
    text = arguments[0].sql
    pairs = arguments[1].sql if len(arguments) > 1 else string_literal(",")
    values = arguments[2].sql if len(arguments) > 2 else string_literal("=")
    trimmed = f"regexp_replace({text}, concat('(?:', {pairs}, ')+\\\\z'), '')"
    split = f"transform(split({trimmed}, {pairs}), _nrt_p -> split(_nrt_p, {values}, 2))"
    entries = f"transform({split}, _nrt_p -> struct(_nrt_p[0] AS key, get(_nrt_p, 1) AS value))"
    none = "CAST(map() AS MAP<STRING,STRING>)"
    kind = DataType("MAP", children=(("key", TEXT), ("value", STRING)))
    return Typed(strict(arguments, f"IF({text} = '', {none}, {map_of(entries)})"), kind)


def _first(spark: str) -> str:
    """SQL of what a pattern finds, NULL if it finds nothing.

    >>> print(_first("regexp_extract({0}, {1}, 0)"))
    CASE WHEN {0} RLIKE {1} THEN regexp_extract({0}, {1}, 0) ELSE NULL END
    """
    return f"CASE WHEN {{0}} RLIKE {{1}} THEN {spark} ELSE NULL END"


REGULAR_EXPRESSIONS: dict[str, Function] = {
    "REGEXP": _matches,
    "REGEXP_REPLACE": _replace,
    "REGEXP_EXTRACT": _extract,
    "REGEXP_EXTRACT_ALL": _extract_all,
    "REGEXP_COUNT": scalar("ss", WHOLE, "regexp_count({0}, {1})"),
    "REGEXP_INSTR": scalar("ss", WHOLE, "regexp_instr({0}, {1})"),
    "REGEXP_SUBSTR": scalar("ss", STRING, _first("regexp_extract({0}, {1}, 0)")),
    "STR_TO_MAP": _to_map,
}
