"""Classes of this package in Java: a session's own compiler (Janino, which compiles Spark's code) makes them of a text.

Nothing is built or shipped but the text, so that they travel as the rest of the engine does. Executors in other JVMs
get a class in a jar that the driver writes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
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


def ship_java(session: SparkSession, name: str) -> None:
    """Gives the classes of `<name>.java` to all executors, also to those that are still to come.

    Raises Py4JError, or TypeError as `call_java` does, if it does not fit this Spark.
    """
    context: Any = session.sparkContext
    compiler = context._jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(source(name))
    jar = Path(context._temp_dir) / f"airflow_nrt-{name}.jar"
    with zipfile.ZipFile(jar, "w") as classes:
        for one, code in compiler.getBytecodes().items():
            classes.writestr(f"{one.replace('.', '/')}.class", bytes(code))
    context._jsc.addJar(str(jar))


def source(name: str) -> str:
    """The text of a class, also out of a zip."""
    return files("airflow_nrt.engine").joinpath(f"{name}.java").read_text()
