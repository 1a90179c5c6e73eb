"""Rules that change how Spark runs a plan, in Java (`java_class.py`), and not what it says.

`MergedAggregates`: an aggregate is one step instead of two where no exchange lies in it. Spark plans each as two
halves, one on either side of an exchange. Where the rows lie by key already, as they do behind the one exchange of a
firing, both halves stand next to each other, and each has a hash table of all groups
(docs/decisions/17-one-aggregate.md).

`MomentsByReference`: watermarks and the ends of windows are other numbers in each batch. In the code that Spark
generates they would make other code of it, which has to be compiled, by Spark and then by Java; beside it they leave
the code as it is, and the batch runs what the one before has made hot (docs/decisions/19-moments.md).
"""

from __future__ import annotations

import logging
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.engine.java.java_class import call_java

RULES = ("MergedAggregates", "MomentsByReference")

log = logging.getLogger(__name__)


def use_plan_rules(session: SparkSession) -> None:
    """Adds the rules to a session that has planned nothing yet. Where its Spark is another, it goes without."""
    ours: Any = session
    extensions = ours._jsparkSession.extensions()
    for rule in RULES:
        try:
            call_java(session, rule, ("use",), extensions)
        except (Py4JError, TypeError) as other:
            log.warning("batches take longer than they need, as %s.java does not fit here: %s", rule, other)
