"""Time limits of what a trigger waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

Result = TypeVar("Result")


async def within(seconds: float, awaited: Awaitable[Result]) -> Result:
    """The result, unless it takes longer: then it is cancelled. Raises asyncio.TimeoutError.

    Before Python 3.12 `asyncio.wait_for` swallows a cancellation that comes together with the result: a trigger that
    Airflow has ended would go on for ever.
    """
    task = asyncio.ensure_future(awaited)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await _cancelled(task)
        raise
    if not done:
        await _cancelled(task)
        raise asyncio.TimeoutError
    return task.result()


async def _cancelled(task: asyncio.Future[Result]) -> None:
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        # Taken, so that asyncio does not report it as lost.
        task.exception()
