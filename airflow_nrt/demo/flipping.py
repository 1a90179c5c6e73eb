"""A published table with one cell flipped, as a broken disk, a stray job or a careless hand would leave it."""

from __future__ import annotations

import shutil
from pathlib import Path

from pyarrow import Table, array, parquet


def flip_one_cell(table: Path, copy: Path, column: str) -> Path:
    """Copies a directory of parquet files and adds one to the first value of a column in its middle file.

    Gives the file that was changed, below `copy`.
    """
    shutil.copytree(table, copy)
    files = sorted(copy.rglob("*.parquet"))
    chosen = files[len(files) // 2]
    with chosen.open("rb") as file:
        content: Table = parquet.ParquetFile(file).read()
    values = content[column].to_pylist()
    values[0] += 1
    place = content.schema.get_field_index(column)
    flipped = content.set_column(place, content.schema.field(place), array(values, content.schema.field(place).type))
    parquet.write_table(flipped, chosen)
    return chosen
