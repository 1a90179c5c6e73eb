"""Row: positions, names, changes."""

from __future__ import annotations

import pickle

import pytest

from airflow_nrt.functions import Row


def test_by_position() -> None:
    row = Row(1, "a")
    row[0] += 4
    assert (list(row), len(row), row[-1], row[0:1]) == ([5, "a"], 2, "a", [5])
    assert row == Row(5, "a") and row != Row(5, "b") and hash(row) == hash(Row(5, "a"))
    assert repr(row) == "Row(5, 'a')"
    with pytest.raises(TypeError, match="has no names"):
        row.as_dict()


def test_by_name() -> None:
    row = Row(n=1, s="a")
    row.n, row["s"] = 2, "b"
    assert (row.n, row["s"], row[1], row.as_dict()) == (2, "b", "b", {"n": 2, "s": "b"})
    assert repr(pickle.loads(pickle.dumps(row))) == "Row(n=2, s='b')"
    with pytest.raises(AttributeError, match="has no field 'x'"):
        row.x
    counts = Row(count=3, index="i", copy=1.5, pop=None)
    counts.count += 1
    assert (counts.count, counts.index, counts.copy, counts.pop) == (4, "i", 1.5, None)
    assert pickle.loads(pickle.dumps(counts)).as_dict() == {"count": 4, "index": "i", "copy": 1.5, "pop": None}
    with pytest.raises(KeyError, match="has no field 'x'"):
        row["x"]
    with pytest.raises(ValueError, match="by position or by name"):
        Row(1, s="a")
