"""A class that is shipped reaches every session of a Spark, also after one that could not ship it."""

from __future__ import annotations

import uuid
import zipfile

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.java import java_class
from airflow_nrt.engine.java.objects import java_class as found_class

CONSTANT = "package airflow_nrt; public class {name} {{ public static int value() {{ return 42; }} }}"


@pytest.fixture
def name(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a class that nothing has shipped."""
    monkeypatch.setattr(java_class, "source", lambda name: CONSTANT.format(name=name))
    return f"Constant{uuid.uuid4().hex}"


def test_a_jar_that_could_not_be_written_is_not_taken_for_shipped(
    spark: SparkSession, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(zipfile.ZipFile, "writestr", full)
        with pytest.raises(OSError, match="no space"):
            java_class.ship_java(spark, name)
    for session in (spark, spark.newSession()):
        java_class.ship_java(session, name)
        assert found_class(session.sparkContext._jvm, f"airflow_nrt.{name}").value() == 42
