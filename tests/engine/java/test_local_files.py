"""Local files of a session: made in the process, with the permissions and the care that Hadoop would give them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError

from airflow_nrt.engine.java import fitting, java_class, local_files


def written(spark, place: Path) -> Path:
    spark.range(1000).selectExpr("id", "md5(CAST(id AS STRING)) AS text").coalesce(1).write.parquet(str(place))
    (file,) = place.iterdir()
    return file


def test_no_process_is_started_for_a_file(spark) -> None:
    jvm, settings = spark._jvm, spark.sparkContext._jsc.hadoopConfiguration()
    files = jvm.org.apache.hadoop.fs.FileSystem.get(jvm.java.net.URI.create("file:///"), settings)
    assert files.getRawFileSystem().getClass().getName() == "airflow_nrt.LocalFiles"


@pytest.mark.parametrize("text", ["class Nothing {}", "no Java"])
def test_what_does_not_fit_leaves_them_as_they_were(
    spark, tmp_path: Path, forgotten, monkeypatch, caplog, text: str
) -> None:
    monkeypatch.setattr(java_class, "source", lambda name: text)
    local_files.use_local_files(spark)
    assert "LocalFiles.java does not fit here" in caplog.text
    assert list(fitting.unusable(spark)) == ["LocalFiles"]
    assert written(spark, tmp_path / "table").exists()


@pytest.mark.parametrize(
    "around, directory, file",
    [(0o755, 0o755, 0o644), (0o700, 0o700, 0o600), (0o2770, 0o2770, 0o660), (0o1777, 0o755, 0o644)],
)
def test_what_is_made_in_a_private_directory_is_private(
    spark, tmp_path: Path, around: int, directory: int, file: int
) -> None:
    tmp_path.chmod(around)
    made = written(spark, tmp_path / "below" / "table")
    assert [oct(os.stat(one).st_mode & 0o7777) for one in (made.parent.parent, made.parent, made)] == [
        oct(directory), oct(directory), oct(file)
    ]  # fmt: skip


def test_a_flipped_bit_is_found(spark, tmp_path: Path) -> None:
    file = written(spark, tmp_path / "table")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(Py4JJavaError, match="could not verify page integrity"):
        spark.read.parquet(str(file)).selectExpr("max(text)").collect()
