"""The files of the ledger of a batch, as its entry names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from airflow_nrt.home.ledger import ENDING
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.store.store_path import StorePath


class _OfBatch(Protocol):
    @property
    def ledger(self) -> str | None: ...

    @property
    def written(self) -> NamedFiles: ...


def ledger_files(root: StorePath, batch: _OfBatch) -> Mapping[str, list[StorePath]]:
    """The files of the ledger of a batch in the home `root`, by the name of their directory."""
    if batch.ledger is None:
        return {}
    named = {key: files for key, files in batch.written.items() if key.startswith(f"{batch.ledger}/")}
    if not named:
        # Entries of earlier versions name the directory alone.
        return {kind.name: kind.below(ENDING) for kind in (root / batch.ledger).below()}
    return {key.rpartition("/")[2]: [root / key / file.name for file in files] for key, files in named.items()}
