"""`airflow-nrt prepare`: what makes drivers start faster on this machine, made once after an installation."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has no options: the archive is that of this Java and this Spark."""


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.prepare import prepare, summary

    print(summary(prepare()))
    return 0
