"""Classes of this package in Java: Spark's own compiler (Janino) compiles them in a session, from their source.

Only the source is shipped, so that classes are deployed like the rest of the engine. Executors in other JVMs get a
class in a jar that the driver writes.
"""

from __future__ import annotations

import uuid
import zipfile
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from py4j.java_gateway import JavaPackage  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import JavaSource
from airflow_nrt.basics.masters import is_local
from airflow_nrt.engine.java.fitting import unless_unfit
from airflow_nrt.engine.java.objects import elements, java_class

_shipped: WeakKeyDictionary[SparkContext, dict[str, Any]] = WeakKeyDictionary()

_shipping = Lock()


class JavaClass:
    """A class of `<name>.java`, compiled for a session.

    If it does not fit the session's Spark, compiling and calling it raise Py4JError, or TypeError if py4j takes a
    missing class for a package.
    """

    def __init__(self, session: SparkSession, name: str) -> None:
        self._name = name
        self._context: Any = session.sparkContext
        jvm: Any = self._context._jvm
        self._compiler = java_class(jvm, "org.codehaus.janino.SimpleCompiler")()
        self._compiler.cook(source(name))

    def call(self, methods: Iterable[str], argument: Any) -> None:
        """Calls static methods in order, each with this object of the JVM."""
        jvm = self._context._jvm
        made = self._compiler.getClassLoader().loadClass(f"airflow_nrt.{self._name}")
        for method in methods:
            found = made.getMethod(method, self._array(jvm.Class, argument.getClass()))
            found.invoke(None, self._array(jvm.Object, argument))

    def ship(self) -> None:
        """Ships it to this JVM and all tasks, also on future executors."""
        jar = Path(self._context._temp_dir) / f"airflow_nrt-{self._name}.jar"
        if jar.exists():
            # Another session of this Spark has shipped it, and Java reads it.
            return
        # It gets its name when it is whole: one that could not be written is not taken for shipped.
        aside = jar.with_name(f".{jar.name}.{uuid.uuid4().hex}")
        with zipfile.ZipFile(aside, "w") as classes:
            for one in elements(self._compiler.getBytecodes().entrySet()):
                classes.writestr(f"{one.getKey().replace('.', '/')}.class", bytes(one.getValue()))
        aside.replace(jar)
        # The class loader of all threads of this JVM, which compiles the code that tasks run.
        jvm = self._context._jvm
        file = java_class(jvm, "java.io.File")(str(jar))
        jvm.Thread.currentThread().getContextClassLoader().addURL(file.toURI().toURL())
        if not is_local(self._context.master):
            self._context._jsc.addJar(str(jar))

    def _array(self, kind: Any, value: Any) -> Any:
        made = self._context._gateway.new_array(kind, 1)
        made[0] = value
        return made


def call_java(session: SparkSession, name: str, methods: Iterable[str], argument: Any) -> None:
    """Calls static methods of `<name>.java` in order. Raises as `JavaClass` does."""
    JavaClass(session, name).call(methods, argument)


def ship_java(session: SparkSession, name: str) -> None:
    """Ships the classes of `<name>.java` to all executors. Raises as `JavaClass` does."""
    JavaClass(session, name).ship()


def shipped_class(session: SparkSession, wanted: JavaSource) -> Any | None:
    """The class, for this JVM and all tasks; None if it does not fit this Spark."""
    with _shipping:
        known = _shipped.setdefault(session.sparkContext, {})
        if wanted.name not in known:
            found = None
            with unless_unfit(session, wanted):
                found = _found(session, wanted.name)
            known[wanted.name] = found
        return known[wanted.name]


def _found(session: SparkSession, name: str) -> Any:
    ship_java(session, name)
    made = java_class(session.sparkContext._jvm, f"airflow_nrt.{name}")
    if isinstance(made, JavaPackage):
        raise TypeError("Java does not find its class")
    return made


def source(name: str) -> str:
    """The source of a class, also from a zip."""
    return files("airflow_nrt.engine.java").joinpath(f"{name}.java").read_text()
