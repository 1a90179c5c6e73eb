"""A session begins without what it has no use for, keeps what was asked of it, and ends at once."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from py4j.protocol import Py4JError
from pyspark.sql import functions as F

from airflow_nrt.engine.spark import quick_session
from airflow_nrt.engine.spark.session import start_session

_NAMED = "org.apache.spark.sql.ml.InternalFunctionRegistration"
_REGISTRY = "org.apache.spark.sql.catalyst.analysis.FunctionRegistry$"
_PROGRAM = f"""
import sys
from queue import Queue
from airflow_nrt.engine.spark import quick_session
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.spark.quick_session import end_session
from airflow_nrt.engine.spark.session import start_session
ensure_java()
settings = {{"spark.sql.extensions": "{_NAMED}", "spark.sql.shuffle.partitions": "5"}}
met = Queue()
session = start_session("quick", "local[1]", settings, met.put)
print("pandas" in sys.modules)
functions = getattr(getattr(session._jvm, "{_REGISTRY}"), "MODULE$")
print(functions.internal().listFunction().mkString(" ").count("vector_to_array"))
print(session.conf.get("spark.sql.shuffle.partitions"), session.sparkContext.appName, session.range(3).count())
print(met.get(timeout=30) is session)
server = session.sparkContext._accumulatorServer
end_session(session)
print(server.socket.fileno(), session.sparkContext._jsc)
again = start_session("again", "local[1]", {{}})
print(again.range(4).count())
end_session(again)
quick_session._made = lambda jvm, context: None
of_builder = start_session("builder", "local[1]", settings)
print(of_builder.conf.get("spark.sql.shuffle.partitions"), of_builder.range(5).count())
end_session(of_builder)
"""


@pytest.fixture(scope="module")
def told(process: None) -> list[str]:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.splitlines()


def test_pandas_is_not_imported(told: list[str]) -> None:
    assert told[0] == "False"


def test_a_named_extension_is_loaded(told: list[str]) -> None:
    assert told[1] == "1"


def test_settings_and_the_name_are_the_sessions(told: list[str]) -> None:
    assert told[2] == "5 airflow-nrt: quick 3"


def test_others_may_use_it_while_it_is_set_up(told: list[str]) -> None:
    assert told[3] == "True"


def test_the_end_ends_the_server_too_and_another_session_can_begin(told: list[str]) -> None:
    assert told[4:6] == ["-1 None", "4"]


def test_sparks_builder_makes_the_same_session(told: list[str]) -> None:
    assert told[6:] == ["5 5"]


def test_functions_of_machine_learning_are_not_there(spark) -> None:
    functions = getattr(getattr(spark._jvm, _REGISTRY), "MODULE$")
    assert "vector_to_array" not in functions.internal().listFunction().mkString(" ")


def test_values_of_numpy_are_converted_as_ever(spark) -> None:
    (row,) = spark.range(1).select(F.lit(np.int64(3)).alias("n"), F.lit(np.array([1.5, 2.5])).alias("a")).collect()
    assert (row.n, row.a) == (3, [1.5, 2.5])


def test_a_session_that_stands_is_the_session(spark) -> None:
    assert start_session("tests", "local[2]", {}) is spark


@pytest.mark.parametrize("wrong", [Py4JError("no such constructor"), TypeError("'JavaPackage' object is not callable")])
def test_where_spark_makes_it_in_another_way_its_builder_does(spark, monkeypatch, caplog, wrong: Exception) -> None:
    def made(jvm: object, context: object) -> None:
        raise wrong

    monkeypatch.setattr(quick_session, "_made", made)
    with caplog.at_level("INFO"):
        assert quick_session.quick_session({}) is spark
    assert "makes it in another way" in caplog.text
