"""XComs from a trigger, in an Airflow with XComs for event loops and in one without."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.execution_time import xcom

from airflow_nrt.triggers.xcoms import read_xcom, write_xcom

TASK = SimpleNamespace(dag_id="d", task_id="t", run_id="r", map_index=None)


class Kept:
    """Stands for Airflow's XComs; `threads` are those that asked."""

    values: dict[Any, Any] = {}
    threads: set[int] = set()

    @classmethod
    def set(cls, key: str, value: Any, **of: Any) -> None:
        cls.threads.add(threading.get_ident())
        cls.values[key, tuple(of.items())] = value

    @classmethod
    def get_one(cls, *, key: str, **of: Any) -> Any:
        return cls.values.get((key, tuple(of.items())))


class KeptForLoops(Kept):
    @classmethod
    async def aset(cls, key: str, value: Any, **of: Any) -> None:
        cls.set(key, value, **of)

    @classmethod
    async def aget_one(cls, *, key: str, **of: Any) -> Any:
        return cls.get_one(key=key, **of)


@pytest.mark.parametrize("kept", [Kept, KeptForLoops])
def test_what_is_written_is_read(kept: type[Kept], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xcom, "XCom", kept)
    kept.values.clear()
    kept.threads.clear()

    async def both() -> Any:
        assert await read_xcom(TASK, "status", 10) is None
        await write_xcom(TASK, "status", {"rows": 3}, 10)
        return await read_xcom(TASK, "status", 10)

    assert asyncio.run(both()) == {"rows": 3}
    assert list(kept.values) == [("status", (("dag_id", "d"), ("task_id", "t"), ("run_id", "r"), ("map_index", -1)))]
    # What blocks does not block the triggerer's loop.
    assert (threading.get_ident() in kept.threads) == (kept is KeptForLoops)
