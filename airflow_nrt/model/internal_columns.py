"""Hidden columns, which the engine passes through the SQL of a plan.

    _nrt_row    struct      the source's columns that the plan reads, for the late ledger
    _nrt_seen   bigint      the operator's watermark (ms) at the beginning of the row's batch, NULL if nothing is late
    _nrt_batch  bigint      the number of that batch; NULL where there is only one
    _nrt_pos    struct      the row's place on arrival: file, block, row, path
    _nrt_ts     bigint      the rowtime in milliseconds
    _nrt_id     string      of reports with UUID(): what identifies the row, whatever batch or split it was read in
    _nrt_absorbed  struct   the batch's processing time (`clock`), and its source's `watermark` before the batch
    _nrt_end    bigint      the end (ms) of the window of a result
    _nrt_start  bigint      its start, of SESSION only: of other windows it follows from the end
    _nrt_after  boolean     of rows that change: whether this is the row after the batch, or before it
    _nrt_key    string      of rows that change: the identity of a row, equal before and after the batch
    _nrt_alive  boolean     of rows in the state of an updating operator: false once they are retracted
    _nrt_op     string      of changes, emitted or read: +I, -U, +U, -D
    _nrt_n      bigint      of constant rows, and of the rows that one row becomes: their number
    _nrt_arrival  bigint    of rows that are numbered in the order of arrival: their number among those of their key
    _nrt_until  bigint      of rows below an interval join: the last watermark (ms) at which a row may join with it
    _nrt_side   string      of rows below an updating or a temporal join: L or R
    _nrt_carry_…  bigint    of partials: the upper part of a long sum; files of earlier versions have none, it is NULL
    _nrt_order_0  any       of results: the first sort key; then _nrt_order_1, …

Rowtimes, ends and `_nrt_seen` are on the clock of the windows: over TIMESTAMP_LTZ the wall clock of the session's zone,
not instants.
"""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.errors import STOP_MARK

ROWTIME = "_nrt_ts"
POSITION = "_nrt_pos"
IDENTITY = "_nrt_id"
NUMBER = "_nrt_n"
ARRIVAL = "_nrt_arrival"
NUMBERED = "_nrt_numbered"
"""The name by which the input of a window operator reads rows with their `ARRIVAL`."""
ABSORBED = "_nrt_absorbed"
SEEN, BATCH = "_nrt_seen", "_nrt_batch"
SOURCE_HIDDEN = ("_nrt_row", SEEN, BATCH, POSITION, ROWTIME, ABSORBED)
WINDOW_START, WINDOW_END = "_nrt_start", "_nrt_end"
AFTER, KEY, ALIVE = "_nrt_after", "_nrt_key", "_nrt_alive"
CHANGE_HIDDEN = (AFTER, KEY)
OP = "_nrt_op"
SORTED_BY = "_nrt_order_"
CARRY = "_nrt_carry_"
UNTIL = "_nrt_until"
SIDE, LEFT, RIGHT = "_nrt_side", "L", "R"

CLOCK = "_nrt_clock"
"""Processing time, as a source that an operator waits for. Its watermark is the last millisecond that passed."""
CLOCK_SQL = (
    f"coalesce({ABSORBED}.clock, raise_error('{STOP_MARK}no stream has absorbed this row, it has no PROCTIME()'))"
)
"""The processing time (ms) of a row."""


def firing_clock(operator: str) -> str:
    """The function of the session from the end of a window to the processing time (ms) at which it fired, or NULL."""
    return f"_nrt_fired_{operator}"


def key_of(columns: Sequence[str]) -> str:
    """SQL of `_nrt_key`: equal where all these columns are equal; NULL equals NULL.

    >>> print(key_of(["shop", "day"]))
    to_json(struct(shop, day), map('timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS', 'timestampNTZFormat', 'yyyy-MM-dd
    HH:mm:ss.SSSSSS'))
    """
    whole = "'yyyy-MM-dd HH:mm:ss.SSSSSS'"
    options = f"map('timestampFormat', {whole}, 'timestampNTZFormat', {whole})"
    return f"to_json(struct({', '.join(columns)}), {options})" if columns else "''"
