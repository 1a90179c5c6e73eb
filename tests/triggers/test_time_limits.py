"""Time limits of what a trigger waits for: results, limits, and cancellations that are never lost."""

from __future__ import annotations

import asyncio

import pytest

from airflow_nrt.triggers.time_limits import within


def test_the_result() -> None:
    assert asyncio.run(within(5, asyncio.sleep(0, "done"))) == "done"


def test_an_error_of_what_is_awaited() -> None:
    async def failing() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        asyncio.run(within(5, failing()))


def test_what_takes_longer_is_cancelled() -> None:
    async def main() -> bool:
        task = asyncio.ensure_future(asyncio.sleep(60))
        with pytest.raises(asyncio.TimeoutError):
            await within(0.01, task)
        return task.cancelled()

    assert asyncio.run(main())


def test_a_cancellation_that_comes_with_the_result_is_not_lost() -> None:
    async def main() -> bool:
        awaited: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(within(60, awaited))
        await asyncio.sleep(0)
        awaited.set_result(1)
        task.cancel()
        await asyncio.wait({task}, timeout=5)
        return task.cancelled()

    assert asyncio.run(main())


def test_a_cancellation_reaches_what_is_awaited() -> None:
    async def main() -> bool:
        awaited = asyncio.ensure_future(asyncio.sleep(60))
        task = asyncio.ensure_future(within(60, awaited))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task}, timeout=5)
        return task.cancelled() and awaited.cancelled()

    assert asyncio.run(main())


def test_what_is_shielded_goes_on() -> None:
    async def main() -> str:
        awaited = asyncio.ensure_future(asyncio.sleep(0.05, "late"))
        with pytest.raises(asyncio.TimeoutError):
            await within(0.01, asyncio.shield(awaited))
        return await awaited

    assert asyncio.run(main()) == "late"
