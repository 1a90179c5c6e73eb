"""Local files of a session: made in the process, with the permissions and the care that Hadoop would give them."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError

from airflow_nrt.engine.failures.failures import explained
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


def lines(spark, *files: Path) -> list[str]:
    return sorted(row.value for row in spark.read.text([str(file) for file in files]).collect())


@pytest.mark.parametrize("spelled", ["directory", "link to the directory"])
def test_what_is_opened_below_a_closed_directory_lies_in_it(spark, tmp_path: Path, spelled: str) -> None:
    """Whatever became a link after somebody has looked; others are read as ever."""
    place, outside = tmp_path / "place", tmp_path / "place-outside"
    for one in (place / "below", outside):
        one.mkdir(parents=True)
        (one / "a.csv").write_text(f"{one.name}\n")
    root = place
    if spelled != "directory":
        root = tmp_path / "root"
        root.symlink_to(place)
    (root / "inside.csv").symlink_to("below/a.csv")
    (root / "leak.csv").symlink_to(outside / "a.csv")
    (root / "leaking").symlink_to(outside)
    fine, leaks = (root / "below" / "a.csv", root / "inside.csv"), (root / "leak.csv", root / "leaking" / "a.csv")
    assert lines(spark, *leaks) == ["place-outside"] * 2
    local_files.close_directory(spark, str(root))
    local_files.close_directory(spark, str(tmp_path / "another"))
    try:
        assert lines(spark, *fine, outside / "a.csv") == ["below", "below", "place-outside"]
        for leak in leaks:
            with pytest.raises(Py4JJavaError, match="is a link that leads out of") as failure:
                spark.read.text(str(leak)).collect()
            known = explained(failure.value)
            assert known is not None and known.passes, "the next listing leaves it out, so the batch is tried again"
            assert str(known).startswith(f"{leak} became a link that leads out of its directory")
    finally:
        local_files.open_directory(spark, str(root))
    assert lines(spark, *leaks) == ["place-outside"] * 2


def test_programs_that_share_one_java_close_directories_without_each_other(spark, tmp_path: Path) -> None:
    (outside := tmp_path / "outside.csv").write_text("outside\n")
    places = {tmp_path / name: local_files_of_a_program() for name in ("first", "second")}
    for place, program in places.items():
        place.mkdir()
        (place / "leak.csv").symlink_to(outside)
        program.close_directory(spark, str(place))
    try:
        for place in places:
            with pytest.raises(Py4JJavaError, match="is a link that leads out of"):
                lines(spark, place / "leak.csv")
    finally:
        for place, program in places.items():
            program.open_directory(spark, str(place))


def local_files_of_a_program():
    """The module as another Python has it, with nothing that this one remembers."""
    found = importlib.util.find_spec("airflow_nrt.engine.java.local_files")
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def test_a_file_that_takes_the_place_of_one_that_was_opened(spark, tmp_path: Path) -> None:
    """It is asked where the opened file lies, not what its path leads to by then."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "a.csv").write_text("inside\n")
    jvm, settings = spark._jvm, spark.sparkContext._jsc.hadoopConfiguration()
    files = jvm.org.apache.hadoop.fs.FileSystem.get(jvm.java.net.URI.create("file:///"), settings).getRawFileSystem()
    opened = files.open(jvm.org.apache.hadoop.fs.Path(str(place / "a.csv")), 4096)
    (place / "a.csv").rename(place / "b.csv")
    (place / "a.csv").symlink_to("/etc/hostname")
    asked = files.getClass().getDeclaredMethod("found", _types(spark, opened))
    asked.setAccessible(True)
    arguments = spark._sc._gateway.new_array(jvm.Object, 2)
    arguments[0], arguments[1] = opened, str(place / "a.csv")
    assert asked.invoke(None, arguments).toString() == str(place / "b.csv")
    opened.close()


def _types(spark, opened):
    types = spark._sc._gateway.new_array(spark._jvm.Class, 2)
    types[0], types[1] = opened.getClass(), spark._jvm.Class.forName("java.lang.String")
    return types
