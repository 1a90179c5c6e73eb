"""Formats of changes whose records have, of the row before an update, what the update changed."""

from __future__ import annotations


def with_old_fields(row: str, old: str) -> str:
    """SQL of the row before an update, from the row after it and the fields that it changed. The first of two fields
    with one name is read. NULL if one of them is no object.

    >>> print(with_old_fields("r", "o"))
    IF(json_object_keys(r) IS NOT NULL AND json_object_keys(o) IS NOT NULL, concat('{', concat_ws(',',
    nullif(substring(o, 2, length(o) - 2), ''), nullif(substring(r, 2, length(r) - 2), '')), '}'), NULL)
    """
    inside = ", ".join(f"nullif(substring({one}, 2, length({one}) - 2), '')" for one in (old, row))
    are_objects = f"json_object_keys({row}) IS NOT NULL AND json_object_keys({old}) IS NOT NULL"
    return f"IF({are_objects}, concat('{{', concat_ws(',', {inside}), '}}'), NULL)"
