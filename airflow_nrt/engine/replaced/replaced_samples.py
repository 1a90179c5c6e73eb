"""Samples of rows that a restatement replaces, beside these: the page draws them against the rows of now."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from airflow_nrt.engine.sampling.window_samples import MOST_BYTES, MOST_WINDOWS, sample_of
from airflow_nrt.home.log.named_files import NamedFile
from airflow_nrt.home.notes.samples import Sample
from airflow_nrt.home.notes.sampling import Sampling
from airflow_nrt.home.outline import InsertOutline
from airflow_nrt.home.replaced.kept_rows import OF_NO_ENTRY
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert

log = logging.getLogger(__name__)


def samples_of(insert: Insert, directory: StorePath, files: Iterable[NamedFile], ends: Iterable[int]) -> list[Sample]:
    """Samples of the newest of these windows, none where there are too many bytes to be read for a picture."""
    sampling = Sampling.of(InsertOutline.of(insert))
    if not sampling.top or sum(one.size for one in files) > MOST_BYTES:
        return []
    try:
        return list(_samples(sampling, directory, sorted(ends, reverse=True)[:MOST_WINDOWS]))
    except Exception as wrong:
        # A missing picture must not stop a repair.
        log.warning("%s: no sample of the rows that are replaced: %s", insert.name, wrong)
        return []


def _samples(sampling: Sampling, directory: StorePath, ends: Iterable[int]) -> Iterator[Sample]:
    # Imported with the first restatement: the import is slow.
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import parquet

    from airflow_nrt.engine.sinks.result_tables import as_doubles, as_texts

    rows = parquet.read_table(directory.local, columns=[*sampling.keys, *sampling.measures, WINDOW_END])
    for end in ends:
        mine = rows.filter(pc.equal(rows[WINDOW_END], end))
        columns = [
            *(as_texts(mine[name]) for name in sampling.keys),
            *(as_doubles(mine[name]) for name in sampling.measures),
        ]
        yield sample_of(sampling, OF_NO_ENTRY, end, [pa.table(columns, names=[*sampling.keys, *sampling.measures])])
