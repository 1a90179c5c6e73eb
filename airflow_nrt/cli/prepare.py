"""`airflow-nrt prepare`: a class archive with which drivers start faster on this machine, made once after an
installation."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options: the archive is for this Java and this Spark."""


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.prepare import prepare, summary

    print(summary(prepare()))
    return 0
