# ruff: noqa: E501 (a row of a table is one line)
"""Column lists after windowing functions, and of WITH above them: the same rows as without."""

from __future__ import annotations

import pytest

TUMBLE = "TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
CUMULATE = "CUMULATE(TABLE l, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '3' MINUTE)"
SESSION = "TABLE(SESSION(TABLE l PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' SECOND))"
LIST = "w (a, b, c, s, e, t)"
GROUPED = "GROUP BY k, window_start, window_end"
FORMS = {
    "an aggregate": (
        f"SELECT a AS k, s, e, SUM(b) AS n FROM {TUMBLE} AS {LIST} WHERE b > 5 GROUP BY a, s, e",
        f"SELECT k, window_start AS s, window_end AS e, SUM(n) AS n FROM {TUMBLE} WHERE n > 5 {GROUPED}",
    ),
    "names of other columns": (
        f"SELECT n AS k, window_end AS s, window_start AS e, SUM(k) AS n FROM {CUMULATE} AS w (n, k, window_time, window_end, window_start, ts) GROUP BY w.n, window_start, window_end",
        f"SELECT k, window_start AS s, window_end AS e, SUM(n) AS n FROM {CUMULATE} {GROUPED}",
    ),
    "sessions by a key": (
        f"SELECT a AS k, s, e, COUNT(*) AS n FROM {SESSION} {LIST} GROUP BY a, s, e",
        f"SELECT k, window_start AS s, window_end AS e, COUNT(*) AS n FROM {SESSION} {GROUPED}",
    ),
    "rows by themselves": (
        f"SELECT * FROM {TUMBLE} AS {LIST}",
        f"SELECT k AS a, n AS b, ts AS c, window_start AS s, window_end AS e, window_time AS t FROM {TUMBLE}",
    ),
    "a cascade over its time": (
        f"WITH u (k, p, s, e, time_of) AS (SELECT a, SUM(b), s, e, t FROM {TUMBLE} AS {LIST} GROUP BY a, s, e, t) SELECT SUM(z) AS p FROM TUMBLE(TABLE u, DESCRIPTOR(time_of), INTERVAL '1' HOUR) AS o (y, z, s, e, t, h, i, j) GROUP BY h, i",
        f"WITH u AS (SELECT k, SUM(n) AS p, window_time AS t FROM {TUMBLE} {GROUPED}, window_time) SELECT SUM(p) AS p FROM TUMBLE(TABLE u, DESCRIPTOR(t), INTERVAL '1' HOUR) GROUP BY window_start, window_end",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("query", "other_query"), FORMS.values(), ids=FORMS)
def test_the_rows_are_those_without(given, query: str, other_query: str) -> None:
    rows = given(query)
    assert rows["stream"]
    assert rows["stream"] == rows["batch"]
    assert rows == given(other_query)
