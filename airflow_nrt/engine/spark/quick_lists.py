"""Lists of texts and of columns reach Java ten at a time.

py4j makes a call for each element, and each step of a plan has a list of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from py4j.java_gateway import JavaClass, JavaMember, JavaObject  # type: ignore[import-untyped]
from py4j.protocol import STATIC_PREFIX  # type: ignore[import-untyped]

AT_ONCE = 10
"""Java's `List.of` has a method for each number of elements up to this one."""


class QuickLists:
    """A converter of py4j for lists and tuples of several texts or objects of Java; others are left to its own."""

    def can_convert(self, value: object) -> bool:
        return (
            type(value) in (list, tuple)
            and len(value) > 1  # type: ignore[arg-type]
            and all(type(one) is str or isinstance(one, JavaObject) for one in value)  # type: ignore[attr-defined]
        )

    def convert(self, value: Sequence[Any], client: object) -> object:
        """A `java.util.List`. One of up to ten elements can't be changed."""
        several = JavaMember("of", None, f"{STATIC_PREFIX}java.util.List", client)
        elements = iter(value)
        made = several(*islice(elements, AT_ONCE))
        if len(value) <= AT_ONCE:
            return made
        made = JavaClass("java.util.ArrayList", client)(made)
        while some := tuple(islice(elements, AT_ONCE)):
            made.addAll(several(*some)) if len(some) > 1 else made.add(some[0])
        return made
