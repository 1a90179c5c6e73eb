"""Classes of this package in Java: a session's own compiler (Janino, which compiles Spark's code) makes them of a text.

Nothing is built or shipped but the text, so that they travel as the rest of the engine does. In another JVM than the
driver's they can't be used.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from pyspark.sql import SparkSession


def call_java(session: SparkSession, name: str, methods: Iterable[str], argument: Any) -> None:
    """Calls static methods of `<name>.java` one after the other, each with this object of the JVM.

    Raises Py4JError, or TypeError where py4j takes a class that is not there for a package, if it does not fit this
    Spark.
    """
    context: Any = session.sparkContext
    gateway, jvm = context._gateway, context._jvm

    def array(kind: Any, value: Any) -> Any:
        made = gateway.new_array(kind, 1)
        made[0] = value
        return made

    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(source(name))
    made = compiler.getClassLoader().loadClass(f"airflow_nrt.{name}")
    for method in methods:
        made.getMethod(method, array(jvm.Class, argument.getClass())).invoke(None, array(jvm.Object, argument))


def source(name: str) -> str:
    """The text of a class, also out of a zip."""
    return files("airflow_nrt.engine").joinpath(f"{name}.java").read_text()
