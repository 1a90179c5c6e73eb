"""Spark and memory agree on windows, one test a kind: what the log says, and what readers see.

What is decided is tried in memory (`decide/`): this says that it is true on Spark, too.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.engine.driver.agree.agreement import agreement
from tests.engine.driver.agree.kinds_of_windows import OF_WINDOWS
from tests.in_turn import every_second


@pytest.mark.parametrize("name", every_second(OF_WINDOWS))
def test_spark_and_memory_agree(spark: SparkSession, tmp_path: Path, name: str) -> None:
    for live, memory in agreement(spark, tmp_path, OF_WINDOWS[name], name):
        assert live == memory
