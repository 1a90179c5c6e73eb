"""What Spark's analysis lets pass runs: `check --deep` accepts nothing that `query` fails on in analysis.

`AIRFLOW_NRT_FUZZ=2000` tries as many queries, other ones each time.
"""

from __future__ import annotations

import os

from hypothesis import given, settings
from pyspark.errors import AnalysisException, ParseException

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.batch.analysis import analyse
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from tests.golden.run import Case
from tests.sql.generated import changed_queries

EXAMPLES = int(os.environ.get("AIRFLOW_NRT_FUZZ", "25"))


def test_what_analysis_accepts_runs(spark) -> None:
    ran = []

    @settings(max_examples=EXAMPLES, derandomize="AIRFLOW_NRT_FUZZ" not in os.environ)
    @given(changed_queries())
    def runs(query: tuple[Case, str]) -> None:
        case, sql = query
        try:
            plan = plan_query(case.ddl, sql, case.directory)
        except InputError:
            return
        analyse(spark, plan)
        try:
            ran.append(len(list(run_bounded(spark, plan, "batch"))))
        except Exception as failure:
            # Data may be wrong: a number that is too large, a text that is none. Anything else was to be found before.
            assert explained(failure) is not None and not isinstance(failure, (AnalysisException, ParseException))

    runs()
    print(f"{len(ran)} of {EXAMPLES} queries ran, {sum(map(bool, ran))} of them with rows")
    assert sum(map(bool, ran)) > EXAMPLES // 20
