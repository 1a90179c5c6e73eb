"""Table functions behind LATERAL TABLE, arrays behind UNNEST, and table aggregates, which give arrays of rows."""

from __future__ import annotations

import pytest

from airflow_nrt.engine.failures.failures import explained
from tests.engine.functions.places import Place, place_of

MODULE = '''
    from collections.abc import Iterator
    from airflow_nrt.table.functions import DataTypes, Row, TableAggregateFunction, TableFunction, udtf, udtaf

    @udtf(result_types=[DataTypes.STRING(), DataTypes.INT()])
    def cut(s):
        if s is not None:
            for word in s.split():
                yield word, len(word)

    class Letters(TableFunction):
        def eval(self, s: str) -> Iterator[str]:
            return sorted(set(s) - {" "})

    class Top2(TableAggregateFunction):
        def create_accumulator(self):
            return [None, None]
        def accumulate(self, acc, v):
            if v is not None:
                acc[:] = sorted({*acc, v} - {None}, reverse=True)[:2]
                acc += [None] * (2 - len(acc))
        def merge(self, acc, others):
            for other in others:
                for v in other:
                    self.accumulate(acc, v)
        def emit_value(self, acc):
            for rank, v in enumerate(acc, 1):
                if v is not None:
                    yield Row(v, rank)
        def get_accumulator_type(self):
            return DataTypes.ARRAY(DataTypes.BIGINT())
        def get_result_type(self):
            return "ROW<v BIGINT, place INT>"

    class Told(Top2):
        """Tells what changed, as FLIP-29 has it: an accumulator remembers what it told."""
        def create_accumulator(self):
            return [None, None, None, None]
        def accumulate(self, acc, v):
            best = acc[:2]
            super().accumulate(best, v)
            acc[:2] = best
        def merge(self, acc, others):
            for other in others:
                for v in other[:2]:
                    self.accumulate(acc, v)
        def emit_update_with_retract(self, acc, out):
            for n in (0, 1):
                if acc[n] != acc[n + 2]:
                    if acc[n + 2] is not None:
                        out.retract(Row(acc[n + 2], n + 1))
                    out.collect(Row(acc[n], n + 1))
                    acc[n + 2] = acc[n]
        emit_value = TableAggregateFunction.emit_value

    class Taken(Told):
        def emit_update_with_retract(self, acc, out):
            out.retract(Row(5, 1))
'''
ROWS = [
    {"at": "00:00", "s": "to be or to be", "v": 4},
    {"at": "00:01", "s": "", "v": 9},
    {"at": "00:02", "s": None, "v": None},
    {"at": "14:00", "s": "not be", "v": 7},
    {"at": "31:00", "s": "x", "v": 5},
]
modes = pytest.mark.parametrize("mode", ["stream", "batch"])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    directory = tmp_path_factory.mktemp("report")
    return place_of(
        directory, "s STRING, v INT", [dict(row) for row in ROWS], ("cut", "Letters", "Top2", "Told", "Taken"), MODULE
    )


@modes
def test_rows_as_they_come(spark, place: Place, mode: str) -> None:
    """Also several behind each other, and one that gives none."""
    query = (
        "SELECT t.v, w.word, l.letter FROM t LEFT JOIN LATERAL TABLE(cut(s)) AS w (word, size) ON TRUE, "
        "LATERAL TABLE(Letters(word)) AS l (letter) WHERE w.size < 4 OR w.word IS NULL"
    )
    assert place.rows(spark, query, mode) == sorted(
        [
            [v, w, letter]
            for v, s in ((4, "to be or to be"), (7, "not be"), (5, "x"))
            for w in s.split()
            for letter in w
        ],
        key=repr,
    )
    query = "SELECT v, f0, f1 + 1 AS n FROM t LEFT JOIN LATERAL TABLE(cut(s)) ON TRUE WHERE v IS NULL OR v > 5"
    assert place.rows(spark, query, mode) == [[7, "be", 3], [7, "not", 4], [9, None, None], [None, None, None]]


@modes
def test_a_window_over_them(spark, place: Place, mode: str) -> None:
    """A row's time goes with its words, and equal words of one row stay two."""
    words = "CREATE VIEW words AS SELECT word, ts FROM t CROSS JOIN LATERAL TABLE(cut(s)) AS w (word, size);"
    query = (
        "SELECT DATE_FORMAT(window_end, 'HH:mm') AS e, word, COUNT(*) AS n FROM TABLE(CUMULATE(TABLE words, "
        "DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '20' MINUTES)) GROUP BY window_start, window_end, word"
    )
    assert place.rows(spark, query, mode, words) == [
        ["00:10", "be", 2],
        ["00:10", "or", 1],
        ["00:10", "to", 2],
        ["00:20", "be", 3],
        ["00:20", "not", 1],
        ["00:20", "or", 1],
        ["00:20", "to", 2],
        ["00:40", "x", 1],
    ]
    query = "SELECT word, COUNT(*) OVER (PARTITION BY word ORDER BY ts) AS n FROM words WHERE word = 'to'"
    assert place.rows(spark, query, mode, words) == [["to", 2], ["to", 2]]


@modes
@pytest.mark.parametrize("function", ["Top2", "Told"])
def test_a_table_aggregate_in_windows(spark, place: Place, function: str, mode: str) -> None:
    query = (
        "SELECT DATE_FORMAT(window_end, 'HH:mm') AS e, best.place, best.v FROM (SELECT window_start, window_end, "
        f"{function}(v) AS vs FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES, "
        "INTERVAL '40' MINUTES)) GROUP BY window_start, window_end) CROSS JOIN UNNEST(vs) AS best"
    )
    early = [["00:10", 1, 9], ["00:10", 2, 4]]
    later = [[f"00:{end}", place, v] for end in (20, 30, 40) for place, v in ((1, 9), (2, 7))]
    assert place.rows(spark, query, mode) == [*early, *later]


@modes
@pytest.mark.parametrize("function", ["Top2", "Told"])
def test_a_table_aggregate_over_all_time(spark, place: Place, function: str, mode: str) -> None:
    query = (
        f"SELECT even, v, r FROM (SELECT MOD(v, 2) = 0 AS even, {function}(v) AS vs FROM t GROUP BY MOD(v, 2) = 0) "
        "CROSS JOIN UNNEST(vs) AS best (v, r)"
    )
    expected = [[False, 7, 2], [False, 9, 1], [True, 4, 1]]
    assert place.rows(spark, query, mode) == expected


@modes
def test_entries_of_a_map_and_elements_with_their_numbers(spark, place: Place, mode: str) -> None:
    """As in Flink 2.3, which numbers from 1, and not what LEFT JOIN puts for an empty array."""
    query = "SELECT v, k, n FROM t CROSS JOIN UNNEST(MAP['a', v, 'b', v + 1]) AS e (k, n) WHERE v > 5"
    assert place.rows(spark, query, mode) == [[7, "a", 7], [7, "b", 8], [9, "a", 9], [9, "b", 10]]
    query = (
        "SELECT v, x, place FROM t LEFT JOIN UNNEST(IF(v > 8, CAST(NULL AS ARRAY<INT>), ARRAY[1, 2])) "
        "WITH ORDINALITY AS e (x, place) ON TRUE WHERE v > 5"
    )
    assert place.rows(spark, query, mode) == [[7, 1, 1], [7, 2, 2], [9, None, None]]
    query = "SELECT k, place FROM t CROSS JOIN UNNEST(MAP['a', v]) WITH ORDINALITY AS e (k, x, place) WHERE v = 7"
    assert place.rows(spark, query, mode) == [["a", 1]]


def test_a_row_that_was_never_collected_can_not_be_retracted(spark, place: Place) -> None:
    with pytest.raises(Exception) as failure:
        place.rows(spark, "SELECT best.v FROM (SELECT Taken(v) AS vs FROM t) CROSS JOIN UNNEST(vs) AS best", "batch")
    assert "emit_value" in str(explained(failure.value)) and "was not collected before" in str(explained(failure.value))
