"""The files of the ledger of a batch, as its entry names them."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.home.ledger import ENDING
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.store.store_path import StorePath


def ledger_files(root: StorePath, commit: Commit) -> Mapping[str, list[StorePath]]:
    """The files of the ledger of a commit in the home `root`, by the name of their directory."""
    if commit.ledger is None:
        return {}
    named = {key: files for key, files in commit.written.items() if key.startswith(f"{commit.ledger}/")}
    if not named:
        # Entries of earlier versions name the directory alone.
        return {kind.name: kind.below(ENDING) for kind in (root / commit.ledger).below()}
    return {key.rpartition("/")[2]: [root / key / file.name for file in files] for key, files in named.items()}
