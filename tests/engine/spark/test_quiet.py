"""What a process with a session leaves on standard error when it ends: nothing of py4j's."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

SCRIPT = """
import io, logging, sys
log = io.StringIO()
logging.basicConfig(level=logging.INFO, stream=log)
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.spark.session import start_session
ensure_java()
spark = start_session("x", "local[1]", {})
try:
    spark.sql("SELECT id div 0 FROM range(1)").collect()
except Exception:
    print("failed")
{end}
log.close()
"""


def test_streams_that_are_closed() -> None:
    """As pytest's are: loggers still hold them."""
    for end in ("spark.stop()", "pass"):
        script = SCRIPT.replace("{end}", end)
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert ended.stdout == "failed\n"
        for words in ("Logging error", "closed file", "SQLQueryContextLogger"):
            assert words not in ended.stderr
