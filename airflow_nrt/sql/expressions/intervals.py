"""Interval literals: their value, checked as Flink checks them."""

from __future__ import annotations

import re

from airflow_nrt.basics.durations import DAY, HOUR, MINUTE, SECOND
from airflow_nrt.model.windows import Length, Months
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.parse import ast

_UNIT_MS = {"WEEK": 7 * DAY, "DAY": DAY, "HOUR": HOUR, "MINUTE": MINUTE, "SECOND": SECOND}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_ORDER = ("DAY", "HOUR", "MINUTE", "SECOND")
_DEFAULT_PRECISION, _MOST_PRECISION = 2, 10
_MOST = {"HOUR": 23, "MINUTE": 59, "SECOND": 59}
"""The greatest value of a field that is not the first."""


def interval_length(node: ast.Interval) -> Length:
    """The length of a window. Raises SqlError for malformed texts."""
    return Months(_months(node)) if in_months(node) else interval_ms(node)


def interval_ms(node: ast.Interval) -> int:
    """Milliseconds of an interval of days or less. Raises SqlError for months, years and malformed texts."""
    if in_months(node):
        raise SqlError(
            f"watermarks, joins and OVER take SECOND, MINUTE, HOUR and DAY as units; {node.unit} has no fixed length",
            node.at,
        )
    if node.unit not in _UNIT_MS:
        raise NotThereYet(f"an interval in {node.unit}", node.at)
    sign = -1 if node.text.strip().startswith("-") else 1
    text = node.text.strip().lstrip("+-").strip()
    if node.to_unit is not None:
        return sign * _span(node, text)
    match = re.fullmatch(r"(\d+)(\.\d+)?", text)
    if match is None or (match.group(2) and node.unit != "SECOND"):
        raise SqlError(f"{node.text!r} is not a number of {node.unit.lower()}s", node.at)
    _check_precision(node, match.group(1))
    fraction = (match.group(2) or ".0")[1:4].ljust(3, "0")
    return sign * (int(match.group(1)) * _UNIT_MS[node.unit] + (int(fraction) if node.unit == "SECOND" else 0))


def _check_precision(node: ast.Interval, value: str) -> None:
    precision = _DEFAULT_PRECISION if node.precision is None else node.precision
    if not 1 <= precision <= _MOST_PRECISION:
        raise SqlError(
            f"the precision of {node.unit} must be between 1 and {_MOST_PRECISION}, not {precision}", node.at
        )
    digits = len(value.lstrip("0"))
    if digits > precision:
        raise SqlError(
            f"Interval field value {value} exceeds precision of {node.unit}({precision}) field: "
            f"write {node.unit}({digits}) or a larger unit",
            node.at,
        )


def _span(node: ast.Interval, text: str) -> int:
    """`'1 02:30' DAY TO MINUTE`."""
    if node.to_unit not in _ORDER or _ORDER.index(node.to_unit) <= _ORDER.index(node.unit):
        raise SqlError(f"an interval can't run from {node.unit} to {node.to_unit}", node.at)
    units = _ORDER[_ORDER.index(node.unit) : _ORDER.index(node.to_unit) + 1]
    separators = [r"\s+" if unit == "DAY" else ":" for unit in units[:-1]] + [""]
    pattern = "".join(r"(\d+)" + separator for separator in separators)
    fraction = r"(?:\.(\d+))?" if units[-1] == "SECOND" else "()"
    match = re.fullmatch(pattern + fraction, text)
    if match is None:
        raise SqlError(f"{node.text!r} is not an interval from {node.unit} to {node.to_unit}", node.at)
    *values, decimals = match.groups()
    _check_precision(node, values[0])
    for value, unit in zip(values[1:], units[1:]):
        if int(value) > _MOST[unit]:
            raise SqlError(f"{node.text!r}: {value} is no {unit} inside {units[0]} TO {units[-1]}", node.at)
    total = sum(int(value) * _UNIT_MS[unit] for value, unit in zip(values, units))
    return total + int((decimals or "0")[:3].ljust(3, "0"))


def in_months(node: ast.Interval) -> bool:
    """Whether an interval is in months or years, which have no fixed length."""
    return node.unit in _MONTHS


def interval_sql(node: ast.Interval) -> str:
    """The interval in Spark SQL: "INTERVAL '14' MONTH", "INTERVAL '90.000' SECOND"."""
    if in_months(node):
        return f"INTERVAL '{_months(node)}' MONTH"
    ms = interval_ms(node)
    sign, ms = ("-", -ms) if ms < 0 else ("", ms)
    return f"INTERVAL '{sign}{ms // SECOND}.{ms % SECOND:03d}' SECOND"


def _months(node: ast.Interval) -> int:
    """Months of `'1-2' YEAR TO MONTH`, or of a number of one unit."""
    text = node.text.strip()
    sign, text = (-1 if text.startswith("-") else 1), text.lstrip("+-")
    pattern = r"(\d+)-(\d+)" if node.to_unit is not None else r"(\d+)()"
    match = re.fullmatch(pattern, text)
    if match is None or (node.to_unit is not None and (node.unit, node.to_unit) != ("YEAR", "MONTH")):
        shape = f"{node.unit} TO {node.to_unit}" if node.to_unit is not None else f"{node.unit}"
        raise SqlError(f"{node.text!r} is not an interval of {shape}: write '1' MONTH or '1-2' YEAR TO MONTH", node.at)
    _check_precision(node, match[1])
    if int(match[2] or 0) > 11:
        raise SqlError(f"{node.text!r}: {match[2]} is no MONTH inside YEAR TO MONTH", node.at)
    return sign * (int(match[1]) * _MONTHS[node.unit] + int(match[2] or 0))
