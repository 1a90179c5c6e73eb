"""The late and the rejected rows of a home: counted by the log, and read from the ledger, in the order of entries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Lateness, Position
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.usecases.late import late
from airflow_nrt.usecases.requests.late import LateRequest
from tests.launch.homes import lease, new_home


def commit(home: Home, writer: Writer, name: str, rows: dict[str, list[dict[str, object]]]) -> int:
    """An entry with these late and rejected rows, by the directory of its ledger; gives its number."""
    for directory, records in rows.items():
        place = home.path / "ledger" / name / directory
        place.mkdir(parents=True)
        (place / "part-0.txt").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    missed = rows.get("late-operator0", [])
    counts = (Lateness("operator0", len(missed), sum(bool(one["dropped"]) for one in missed)),) if missed else ()
    rejected: dict[str, int] = {}
    for one in rows.get("rejected", []):
        rejected[str(one["reason"])] = rejected.get(str(one["reason"]), 0) + 1
    ledger = f"ledger/{name}" if rows else None
    return writer.append(Commit("orders", (), 3, 0, {}, rejected, counts, ledger, (), Position())).n


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = new_home(tmp_path)
    writer = lease(made)
    malformed = {"reason": "malformed line", "line": "x"}
    first = commit(made, writer, "1-1", {"late-operator0": [{"dropped": True}, {"dropped": False}]})
    assert commit(made, writer, "1-2", {}) == first + 1
    commit(made, writer, "1-3", {"late-operator0": [{"dropped": False}], "rejected": [malformed, malformed]})
    return made


def test_all_are_counted_and_read_in_the_order_of_entries(home: Home) -> None:
    found = late(LateRequest(str(home.path)))
    assert (found.late, found.dropped, found.rejected) == (3, 1, {"malformed line": 2})
    first = found.rows[0]["entry"]
    kinds = [(row["entry"] - first, row["kind"], row.get("operator")) for row in found.rows]
    of_operator = ("late", "operator0")
    assert kinds == [(0, *of_operator), (0, *of_operator), (2, *of_operator), *[(2, "rejected", None)] * 2]


@pytest.mark.parametrize("limit", [1, 3, 5, 9])
def test_a_limit_bounds_the_rows_alone(home: Home, limit: int) -> None:
    whole, found = late(LateRequest(str(home.path))), late(LateRequest(str(home.path), limit=limit))
    assert found.rows == whole.rows[:limit]
    assert (found.late, found.rejected) == (whole.late, whole.rejected)


def test_where_there_is_no_home(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no home of a report"):
        late(LateRequest(str(tmp_path)))
    with pytest.raises(InputError, match="--limit: -1 is no number of rows"):
        LateRequest(str(tmp_path), limit=-1)
