"""The programs that this host needs to submit a driver: a Java, and spark-submit."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spark_version import SPARK_VERSION

SPARK_SUBMIT = "spark-submit"


def spark_environment(binary: str = SPARK_SUBMIT) -> dict[str, str]:
    """The variables to set for spark-submit. Raises InputError if there is no Java, or no such program."""
    # Imported here, so that a DAG file loads nothing of Spark.
    from airflow_nrt.engine.java.class_archive import archive_options
    from airflow_nrt.engine.java.finding import find_java

    java = find_java()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    if shutil.which(binary, path=path) is None:
        raise InputError(f"{binary} is not on the PATH: pip install pyspark=={SPARK_VERSION}")
    options = archive_options(java or os.environ.get("JAVA_HOME"))
    return {"PATH": path, **({"JAVA_HOME": java} if java is not None else {}), **options}
