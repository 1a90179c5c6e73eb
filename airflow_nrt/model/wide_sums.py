"""SUM of DECIMALs that may need more digits than there are (38): exact in any order, and NULL only if the sum does.

Spark's own sum is NULL as soon as rows that it meets first do not fit, and a NULL partial is no part of a later sum. So
a value is cut at 28 digits, of which 10^10 values can be added. What is above is counted as a whole number; 9 * 10^8
rows of the largest value fit.
"""

from __future__ import annotations

from airflow_nrt.basics.types import MAX_PRECISION, DataType

LOW_DIGITS = 28


def is_wide(kind: DataType) -> bool:
    """Whether a sum of less than 10^10 such values may need more than 38 digits."""
    return kind.name == "DECIMAL" and kind.digits > LOW_DIGITS


def low_part(value: str, scale: int) -> str:
    """SQL of a value up to its 28th digit.

    >>> print(low_part("price", 18))
    IF(price BETWEEN CAST('-1E10' AS DECIMAL(11,0)) AND CAST('1E10' AS DECIMAL(11,0)), price, price % CAST('1E10' AS
    DECIMAL(11,0)))
    """
    return f"IF({_is_low(value, scale)}, {value}, {value} % {_unit(scale)})"


def high_part(value: str, scale: int) -> str:
    """SQL of what is above, as BIGINT.

    >>> print(high_part("price", 18))
    IF(price BETWEEN CAST('-1E10' AS DECIMAL(11,0)) AND CAST('1E10' AS DECIMAL(11,0)), 0L, price div CAST('1E10' AS
    DECIMAL(11,0)))
    """
    return f"IF({_is_low(value, scale)}, 0L, {value} div {_unit(scale)})"


def exact_total(low: str, high: str, scale: int) -> str:
    """SQL of the sum from the sums of both parts; NULL if it does not fit. `high` may be NULL, which is 0.

    >>> print(exact_total("l", "h", 18))
    transform(array(struct(coalesce(h, 0L) + (l div CAST('1E10' AS DECIMAL(11,0))) AS h, l % CAST('1E10' AS
    DECIMAL(11,0)) AS l)), _nrt_q -> IF(_nrt_q.h = 0, CAST(_nrt_q.l AS DECIMAL(38,18)),
    TRY_CAST(concat(CAST(try_add(try_multiply(CAST(_nrt_q.h - sign(_nrt_q.h) AS DECIMAL(19,0)), CAST('1E28' AS
    DECIMAL(29,0))), CAST(sign(_nrt_q.h) AS DECIMAL(1,0)) * CAST('1E28' AS DECIMAL(29,0)) +
    CAST(replace(CAST(_nrt_q.l AS STRING), '.', '') AS DECIMAL(28,0))) AS STRING), 'E-18') AS DECIMAL(38,18))))[0]
    """
    unit, most, result = _unit(scale), f"CAST('1E{LOW_DIGITS}' AS DECIMAL({LOW_DIGITS + 1},0))", _widest(scale)
    parts = f"struct(coalesce({high}, 0L) + ({low} div {unit}) AS h, {low} % {unit} AS l)"
    # The parts may have different signs: so one unit of the upper part is added to the lower one first.
    sign, digits = "sign(_nrt_q.h)", f"CAST(replace(CAST(_nrt_q.l AS STRING), '.', '') AS DECIMAL({LOW_DIGITS},0))"
    upper = f"try_multiply(CAST(_nrt_q.h - {sign} AS DECIMAL(19,0)), {most})"
    whole = f"try_add({upper}, CAST({sign} AS DECIMAL(1,0)) * {most} + {digits})"
    body = f"IF(_nrt_q.h = 0, CAST(_nrt_q.l AS {result}), {pointed(whole, scale, result, 'TRY_CAST')})"
    return f"transform(array({parts}), _nrt_q -> {body})[0]"


def rough_total(low: str, high: str, scale: int) -> str:
    """SQL of the same as DOUBLE, whatever its size.

    >>> print(rough_total("l", "h", 18))
    (CAST(l AS DOUBLE) + coalesce(h, 0L) * 1E10D)
    """
    return f"(CAST({low} AS DOUBLE) + coalesce({high}, 0L) * 1E{LOW_DIGITS - scale}D)"


def pointed(whole: str, scale: int, spark_type: str, cast: str = "CAST") -> str:
    """SQL of a whole number with its decimal point put back: by its text, because Spark's product of two DECIMALs of
    more than 38 digits keeps only 6 of the scale.

    >>> print(pointed("n", 10, "DECIMAL(38,10)"))
    CAST(concat(CAST(n AS STRING), 'E-10') AS DECIMAL(38,10))
    """
    return f"{cast}(concat(CAST({whole} AS STRING), 'E-{scale}') AS {spark_type})"


def _is_low(value: str, scale: int) -> str:
    # Spark's abs() and its minus keep only 34 digits.
    return f"{value} BETWEEN {_unit(scale, '-')} AND {_unit(scale)}"


def _unit(scale: int, sign: str = "") -> str:
    """SQL of the least number with 29 digits.

    >>> print(_unit(10), _unit(30, "-"))
    CAST('1E18' AS DECIMAL(19,0)) CAST('-1E-2' AS DECIMAL(2,2))
    """
    above = LOW_DIGITS - scale
    return f"CAST('{sign}1E{above}' AS DECIMAL({f'{above + 1},0' if above >= 0 else f'{-above},{-above}'}))"


def _widest(scale: int) -> str:
    return f"DECIMAL({MAX_PRECISION},{scale})"
