"""A directory without files has no rows, whatever its format is."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.model.options.known import FORMATS
from tests.engine.sources.files.stored import read


@pytest.mark.parametrize("form", FORMATS)
def test_no_files(spark, tmp_path: Path, form: str) -> None:
    columns = "v STRING" if form == "raw" else "v STRING, ts TIMESTAMP(3), n SMALLINT"
    (tmp_path / "t").mkdir()
    assert read(spark, form, tmp_path / "t", columns) == []
