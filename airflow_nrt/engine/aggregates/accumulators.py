"""The parts of an aggregate family: columns that are lifted from a row, merged, and finished."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import INTEGER_LIMITS, DataType
from airflow_nrt.model.arithmetic_errors import NULL_FUNCTION
from airflow_nrt.model.operators import AggregateCall

MERGE_SUM = "sum({0}){over}"


@dataclass(frozen=True)
class Operand:
    """The operand of an aggregate, as SQL over the rows to lift. `tag` names it: equal tags share accumulators.

    `value` is NULL where the row does not count (NULL, or excluded by FILTER). `counts` says whether the row counts,
    which is all that COUNT(*) needs. `admits` says whether FILTER takes the row, whose value may be NULL.
    """

    tag: str
    value: str
    counts: str
    admits: str
    type: DataType | None


@dataclass(frozen=True)
class Accumulator:
    """One column of a partial.

    `lift` is SQL of the column for one row. `merge` is SQL of the merged column: an aggregate of `{0}`, with `{over}`
    after the aggregate function as the place of a window specification. `type` is its Spark type.

    `running` is SQL from an array of its values, `{0}`, to the array of running merges. It is set where that is faster
    than merging over a window specification that grows row by row.
    """

    name: str
    lift: str
    type: str
    merge: str = MERGE_SUM
    running: str | None = None

    @property
    def added_type(self) -> str:
        """The type in which values of it are added by `+`, of which Spark cuts the scale if a sum may need 39 digits.

        >>> print(Accumulator("s", "a", "DECIMAL(38,18)").added_type)
        DECIMAL(37,18)
        """
        return self.type.replace("DECIMAL(38,", "DECIMAL(37,")

    @property
    def lifted(self) -> str:
        """SQL of the column of one row.

        >>> print(Accumulator("n", "IF(a IS NULL, 0, 1)", "BIGINT").lifted)
        CAST(IF(a IS NULL, 0, 1) AS BIGINT) AS n
        """
        return f"CAST({self.lift} AS {self.type}) AS {self.name}"

    def merged(self, over: str = "") -> str:
        """SQL of the column over a group, or over a window specification.

        >>> print(Accumulator("n", "IF(a IS NULL, 0, 1)", "BIGINT").merged("(PARTITION BY shop)"))
        CAST(sum(n) OVER (PARTITION BY shop) AS BIGINT) AS n
        """
        return (
            f"CAST({self.merge.format(self.name, over=f' OVER {over}' if over else '')} AS {self.type}) AS {self.name}"
        )


@dataclass(frozen=True)
class Accumulators:
    """The accumulators of one call, and SQL of its result over them. `additive`: negated ones subtract a row.

    `row_count` is that of them which counts all rows, None if none does.
    """

    columns: tuple[Accumulator, ...]
    result: str
    additive: bool = True
    row_count: Accumulator | None = None


def checked_integer(exact: str, call: AggregateCall) -> str:
    """SQL of an exact number as the result's integer type.

    An overflow is an error that names aggregate, key and window; or NULL, which is counted with them.

    >>> call = AggregateCall("a", "SUM", "n", DataType("INT"), None, False, DataType("INT"), "SUM(n)")
    >>> print(checked_integer("s_n", call))
    CASE WHEN s_n IS NULL THEN NULL WHEN s_n BETWEEN -2147483648 AND 2147483647 THEN CAST(s_n AS INT) ELSE
    raise_error(concat('SUM(n) overflows INT ', {place})) END
    """
    limit = INTEGER_LIMITS[call.type.name]
    message = string_literal(f"{call.text} overflows {call.type.name} ")
    error = f"raise_error(concat({message}, {{place}}))"
    if call.overflow_is_null:
        null = f"{NULL_FUNCTION}({string_literal(call.text)}, CAST({exact} AS STRING), {{place}})"
        error = f"CAST({null} AS {call.type.spark})"
    return (
        f"CASE WHEN {exact} IS NULL THEN NULL WHEN {exact} BETWEEN {-limit - 1} AND {limit} "
        f"THEN CAST({exact} AS {call.type.spark}) ELSE {error} END"
    )


def noted_decimal(has_values: str, exact: str, computation: str, call: AggregateCall) -> str:
    """SQL of a DECIMAL that is NULL if it does not fit, and counted then; NULL without values, which is not counted.

    >>> kind = DataType("DECIMAL", 38, 2)
    >>> call = AggregateCall("a", "SUM", "p", kind, None, False, kind, "SUM(p)")
    >>> print(noted_decimal("s_p IS NOT NULL", "s_p", "rough", call))
    CASE WHEN s_p IS NOT NULL THEN coalesce(s_p, CAST(nrt_null('SUM(p)', CAST(rough AS STRING), {place}) AS
    DECIMAL(38,2))) END
    """
    noted = f"{NULL_FUNCTION}({string_literal(call.text)}, CAST({computation} AS STRING), {{place}})"
    return f"CASE WHEN {has_values} THEN coalesce({exact}, CAST({noted} AS {call.type.spark})) END"
