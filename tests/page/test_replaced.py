"""The rows of a window before a restatement, against those of now."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.home.ids import home_id
from airflow_nrt.home.notes.samples import Sample, SampledRow
from airflow_nrt.page.homes.known_samples import KnownSamples
from airflow_nrt.page.homes.places import Root, find
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.one_window import find_window, one_window
from airflow_nrt.page.replaced import compared
from tests.homes.archives import unpack

SET, UNPINNED, AS_FIRST = "2024-06-18 10:20", "2024-06-18 10:10", "2024-06-18 10:30"


def sample(rows: int, **top: float) -> Sample:
    kept = tuple(SampledRow((key,), (value,)) for key, value in top.items())
    return Sample(1, 7, rows, ("shop",), ("gmv",), (sum(top.values()),), kept)


def test_a_key_that_is_in_one_sample_alone() -> None:
    """It is gone, or new, only if the other sample has all rows."""
    whole = compared(sample(2, a=1, b=2), sample(2, b=3, c=4))
    assert [(row["key"], row["before"], row["now"], row["gone"], row["new"]) for row in whole["compared"]] == [
        (["a"], [1], [None], True, False),
        (["b"], [2], [3], False, False),
        (["c"], [None], [4], False, True),
    ]
    assert whole["totals"] == [{"before": 3, "now": 7}]
    cut = compared(sample(9, a=1), sample(9, c=4))
    assert [(row["gone"], row["new"]) for row in cut["compared"]] == [(False, False)] * 2
    unknown = compared(sample(1, a=1), None)
    assert unknown["totals"] == [{"before": 1, "now": None}] and not unknown["compared"][0]["gone"]


def test_a_window_that_somebody_has_set(tmp_path: Path) -> None:
    home = unpack("undone", tmp_path) / "home"
    reader = Reader(find(Root(str(tmp_path), "homes")).places[home_id(home)], KnownSamples())

    def shown(end: str) -> dict:
        one = find_window(reader, "curve", parse_instant(end))
        assert one is not None
        return one_window(reader, one)

    window = shown(SET)
    assert (window["state"], window["published_by"]) == ("set-by-hand", "undo, anna (airflow-nrt undo)")
    assert window["history"][0]["cause"] == "it was right"
    # The newest version of which rows are kept is the repair.
    assert window["replaced"]["by"] == "repair, task day.repair, run manual__1 (airflow-nrt backfill)"
    assert window["replaced"]["measures"] == ["n", "total"] and window["replaced"]["keys"] == ["shop"]
    (row,) = window["replaced"]["compared"]
    assert (row["key"], row["before"], row["now"]) == (["b"], [1, 2], [1, 5])
    assert shown(UNPINNED)["state"] == "backfilled" and shown(AS_FIRST)["replaced"] is None
    assert [one.kind for one in reader.facts().events].count("undo") == 2
