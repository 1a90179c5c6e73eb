"""Aggregates in one step instead of two, where no exchange lies between.

Spark plans each as two halves, one on either side of an exchange. Where the rows lie by key already, as they do behind
the one exchange of a firing, both halves stand next to each other, and each has a hash table of all groups. A later
Spark has a rule of its own that merges them; `MergedAggregates.java` is one for this
(docs/decisions/17-one-aggregate.md).
"""

from __future__ import annotations

import logging
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.engine.java_class import call_java

log = logging.getLogger(__name__)


def use_merged_aggregates(session: SparkSession) -> None:
    """Adds the rule to a session that has planned nothing yet. Where its Spark is another, both halves stay."""
    ours: Any = session
    extensions = ours._jsparkSession.extensions()
    try:
        call_java(session, "MergedAggregates", ("use",), extensions.getClass(), extensions)
    except (Py4JError, TypeError) as other:
        log.warning("aggregates take two steps, as MergedAggregates.java does not fit here: %s", other)
