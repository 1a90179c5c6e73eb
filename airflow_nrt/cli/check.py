"""`airflow-nrt check`: is this report right?"""

from __future__ import annotations

import argparse

from airflow_nrt.cli.common import add_report, read_plan, session
from airflow_nrt.report.cautions import cautions, cautions_of_place
from airflow_nrt.report.home import Home
from airflow_nrt.report.places import check_places
from airflow_nrt.report.without_effect import without_effect


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    parser.add_argument("--home", metavar="DIR", help="check also whether the report can have its home there")
    parser.add_argument("--deep", action="store_true", help="also run Spark's analysis (starts a Spark session)")


def run(options: argparse.Namespace) -> int:
    plan = read_plan(options)
    if options.home is None:
        check_places(plan)
    else:
        Home.checked(options.home, plan)
    if options.deep:
        from airflow_nrt.engine.analysis import analyse

        with session(plan, "local[1]") as spark:
            analyse(spark, plan)
    inserts = ", ".join(insert.name for insert in plan.inserts)
    operators = f"{len(plan.operators)} window operators"
    if plan.updating:
        operators += f", {len(plan.updating)} updating operators"
    for what, why in without_effect(plan).items():
        print(f"{options.report}: {what} has no effect here: {why}")
    for caution in (*cautions(plan), *cautions_of_place(plan)):
        print(f"{options.report}: {caution}")
    print(f"{options.report}: fine ({len(plan.sources)} sources, {operators} → {inserts})")
    return 0
