"""Classes and collections of the JVM, asked for with few calls.

`jvm.org.apache.kafka…` asks for a class at each dot, and Java looks for `org` in every jar. An iterator of py4j ends
with an exception of Java, and PySpark asks fifty times what it is.
"""

from __future__ import annotations

from typing import Any


def java_class(jvm: Any, name: str) -> Any:
    """The class of this full name; a JavaPackage if there is none."""
    return getattr(jvm, name)


def elements(collection: Any) -> list[Any]:
    """The elements of a java.util.Collection, in its order."""
    array = collection.toArray()
    return [array[n] for n in range(len(array))]
