"""Import this before Airflow: it gives the tests' Airflow a directory of its own, one for each process of tests."""

import atexit
import os
import shutil
import tempfile

_MADE_FOR = "NRT_TESTS_AIRFLOW_HOME_OF"
worker = os.environ.get("PYTEST_XDIST_WORKER", "")

if "AIRFLOW_HOME" not in os.environ or os.environ.get(_MADE_FOR, worker) != worker:
    os.environ["AIRFLOW_HOME"] = tempfile.mkdtemp(prefix="nrt-airflow-")
    os.environ[_MADE_FOR] = worker
    os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
    os.environ["AIRFLOW__OPENLINEAGE__DISABLED"] = "True"
    atexit.register(shutil.rmtree, os.environ["AIRFLOW_HOME"], ignore_errors=True)
