"""Steps of JSON paths that give any number of values: `*`, `..name` and `[?(…)]`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.sql.expressions.functions.json_filters import Condition

NOTHING = "CAST(array() AS ARRAY<VARIANT>)"


class Many(ABC):
    """A step that gives any number of values."""

    @abstractmethod
    def of(self, variant: str) -> str:
        """SQL of an array of VARIANT; NULL if the value can't have such a step."""

    def of_each(self, variant: str) -> str:
        """SQL of the same, of one of many values: an empty array if it can't have such a step."""
        return self.of(variant)


@dataclass(frozen=True)
class Each(Many):
    """`[*]` or `.*`: the elements of an array, or the values of an object."""

    def of(self, variant: str) -> str:
        """SQL of these.

        >>> print(Each().of("v"))
        coalesce(try_variant_get(v, '$', 'array<variant>'), map_values(try_variant_get(v, '$', 'map<string,variant>')),
        CAST(array() AS ARRAY<VARIANT>))
        """
        elements = f"try_variant_get({variant}, '$', 'array<variant>')"
        values = f"map_values(try_variant_get({variant}, '$', 'map<string,variant>'))"
        return f"coalesce({elements}, {values}, {NOTHING})"


@dataclass(frozen=True)
class Matching(Many):
    """`[?(…)]`: the elements of an array for which a condition holds, or an object for which it does."""

    condition: Condition

    def of(self, variant: str) -> str:
        """SQL of these.

        It is "coalesce(filter(try_variant_get(v, '$', 'array<variant>'), _nrt_e -> …), IF(… = 'OBJECT', …, NULL))".
        """
        elements = f"try_variant_get({variant}, '$', 'array<variant>')"
        found = f"filter({elements}, _nrt_e -> {self.condition.holds('_nrt_e')})"
        itself = f"IF({self.condition.holds(variant)}, array({variant}), {NOTHING})"
        return f"coalesce({found}, IF({json_kind(variant)} = 'OBJECT', {itself}, NULL))"

    def of_each(self, variant: str) -> str:
        """SQL of the same: "coalesce(…, CAST(array() AS ARRAY<VARIANT>))"."""
        return f"coalesce({self.of(variant)}, {NOTHING})"


@dataclass(frozen=True)
class Deep(Many):
    """`..name`: the values of this name in a value and in all that it has inside, each before those inside of it."""

    name: str

    def of(self, variant: str) -> str:
        """SQL of these: "aggregate(sequence(…), struct(array(v) AS s, … AS f), (_nrt_a, _nrt_i) -> …, _nrt_a -> …)".

        `s` are the values that are still to be looked into, and `f` what was found. There are no more than the text has
        places where a value can begin.
        """
        text = f"to_json({variant})"
        most = f"1 + length({text}) - length(translate({text}, ',:[{{', ''))"
        place = f'$["{self.name}"]'
        found = f"try_variant_get(_nrt_v, {string_literal(place)}, 'variant')"
        rest = "slice(_nrt_a.s, 2, size(_nrt_a.s))"
        step = (
            f"struct(concat({Each().of('_nrt_v')}, {rest}) AS s, "
            f"IF({found} IS NULL, _nrt_a.f, array_append(_nrt_a.f, {found})) AS f)"
        )
        looked = f"transform(slice(_nrt_a.s, 1, 1), _nrt_v -> {step})[0]"
        first = f"struct(array({variant}) AS s, {NOTHING} AS f)"
        next_ = f"(_nrt_a, _nrt_i) -> IF(size(_nrt_a.s) = 0, _nrt_a, {looked})"
        return f"aggregate(sequence(1, {most}), {first}, {next_}, _nrt_a -> _nrt_a.f)"


def json_kind(variant: str) -> str:
    """OBJECT, ARRAY, STRING, BIGINT, DECIMAL, DOUBLE, BOOLEAN or VOID. NULL if there is no value.

    >>> print(json_kind("v"))
    regexp_extract(schema_of_variant(v), '^[A-Z]+', 0)
    """
    return f"regexp_extract(schema_of_variant({variant}), '^[A-Z]+', 0)"
