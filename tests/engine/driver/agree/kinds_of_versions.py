"""Reports whose results have several versions, or wait."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.model.result_timing import OutputOptions, Rows
from airflow_nrt.testing.memory import Meaning
from tests.engine.driver.agree.kind import ENDS, Kind
from tests.engine.driver.agree.kinds_of_rows import OF_ROWS
from tests.engine.driver.agree.kinds_of_windows import GRIDS, OF_WINDOWS, SAME_WINDOW, inner_join, windows

SEVERAL = OutputOptions(-20 * MINUTE, 4 * MINUTE, Rows(3), True, 40 * MINUTE)
JOINED = Kind(
    f"SELECT a.shop, a.window_end, a.n, b.n FROM {windows()} AS a JOIN {windows('others')} AS b "
    f"ON a.shop = b.shop AND {SAME_WINDOW}",
    ENDS,
    Meaning({"result": inner_join}),
)
OF_VERSIONS = {
    **{f"versions of {name}": replace(OF_WINDOWS[name], timing=SEVERAL, key="shop, ends") for name in GRIDS},
    "versions of a window join": replace(JOINED, timing=SEVERAL, key="shop, ends"),
    "changes that wait for time": replace(OF_ROWS["GROUP BY"], timing=OutputOptions(update_rate=MINUTE)),
    "changes that wait for rows": replace(OF_ROWS["GROUP BY"], timing=OutputOptions(update_rate=Rows(7))),
}
