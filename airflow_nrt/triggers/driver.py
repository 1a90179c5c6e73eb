"""Watches a report's driver from the triggerer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from airflow_nrt.airflow_features import calls_on_kill
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.supervisors import NOTE_SECONDS
from airflow_nrt.triggers.alarm import FreshnessWatch
from airflow_nrt.triggers.co_supervision import CoSupervision
from airflow_nrt.triggers.driver_health import ENDED, LOST, DriverWatch, Judgement
from airflow_nrt.triggers.progress import Progress
from airflow_nrt.triggers.task_state import is_given_up
from airflow_nrt.triggers.watch_settings import WatchSettings
from airflow_nrt.triggers.watcher import WATCHER, Unreadable


class NrtDriverTrigger(BaseTrigger):
    """Fires when the driver of a home has ended, failed, fallen silent or stalled. Follows a driver that takes over.

    After a restart of the triggerer, all state comes from the home. The event is a `Judgement`.

    :param home: the report's home
    :param epoch: the epoch of the driver to begin with
    :param back_off: seconds between a loss and the event, so that a restart waits here and not in a worker
    :param lost: the reason why there is no driver to watch; then the trigger only waits
    :param endless: the driver has ended as asked only if there was a request to stop
    :param group: the group that shares the home, by name or id
    :param watch: the fields of `WatchSettings`, as its `to_json` gives them
    """

    def __init__(
        self,
        home: str,
        epoch: int = 0,
        back_off: float = 0.0,
        lost: str | None = None,
        endless: bool = False,
        group: str | None = None,
        **watch: Any,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.home = home
        self.epoch = epoch
        self.back_off = back_off
        self.lost = lost
        self.endless = endless
        self.group = group
        self.watch = WatchSettings.from_json(watch)
        self._co_supervision: CoSupervision | None = None
        self._has_fired = False

    def serialize(self) -> tuple[str, dict[str, Any]]:
        own = {name: getattr(self, name) for name in ("home", "epoch", "back_off", "lost", "endless", "group")}
        return "airflow_nrt.triggers.driver.NrtDriverTrigger", {**own, **self.watch.to_json()}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        began = time.monotonic()
        # The first question in a new triggerer takes many seconds: it is asked now, so that `on_kill` is answered in
        # time.
        beside: list[asyncio.Task[Any]] = [asyncio.create_task(is_given_up(self.task_instance))]
        if self.watch.freshness is not None:
            watch = FreshnessWatch(self.home, self.group, self.watch.freshness, self.task_instance, self.log)
            beside.append(asyncio.create_task(watch.run()))
        try:
            judgement = Judgement(LOST, 0, self.lost) if self.lost is not None else await self._watch()
            if judgement.kind != ENDED and not judgement.final:
                self.log.warning("%s: %s; resuming in %g s", self.home, judgement.why, self.back_off)
                await self._back_off()
            await asyncio.sleep(max(0.0, began + self.watch.earliest - time.monotonic()))
        finally:
            for one in beside:
                one.cancel()
        self._has_fired = True
        yield TriggerEvent(judgement.to_json())  # type: ignore[no-untyped-call]

    async def cleanup(self) -> None:
        if not self._has_fired and not calls_on_kill():
            await self.on_kill()

    def _others(self) -> CoSupervision:
        # The task instance is known only once the trigger runs.
        if self._co_supervision is None:
            self._co_supervision = CoSupervision(self.home, self.group, self.task_instance, self.log)
        return self._co_supervision

    async def _back_off(self) -> None:
        until = time.monotonic() + self.back_off
        while (left := until - time.monotonic()) > 0:
            await self._others().report(time.monotonic())
            await asyncio.sleep(min(left, NOTE_SECONDS))

    async def _watch(self) -> Judgement:
        watch = DriverWatch(self.watch, self.endless)
        progress = Progress(self.home, self.group, self.watch.status_interval, self.task_instance, self.log)
        logged = ""
        while True:
            try:
                observation = await WATCHER.see(self.home, self.group)
            except Unreadable as wrong:
                if str(wrong) != logged:
                    logged = str(wrong)
                    self.log.warning("%s can't be read, which says nothing about its driver: %s", self.home, logged)
            else:
                logged = ""
                self.epoch = max(self.epoch, observation.beat.epoch if observation.beat is not None else 0)
                judgement = watch.judge(observation, time.monotonic())
                if judgement is not None:
                    return judgement
                await progress.report(time.monotonic())
                await self._others().report(time.monotonic())
            await asyncio.sleep(self.watch.poll_interval)

    async def on_kill(self) -> None:
        """Asks the driver to stop if the task was given up.

        Airflow also calls this when another triggerer takes over and when the task was cleared: the driver goes on
        then, and the next attempt adopts it.
        """
        if not await is_given_up(self.task_instance):
            return
        epoch = self.epoch
        try:
            others = await self._others().left()
        except Unreadable as wrong:
            self.log.warning("%s can't be read, and its driver goes on: %s", self.home, wrong)
            return
        if others:
            self.log.info("%s: the driver of epoch %s goes on, because %s supervises it", self.home, epoch, others[0])
            return

        def ask() -> None:
            home = Home.open(self.home, self.group)
            if home.log().epoch() == epoch:
                home.ask_to_stop()

        try:
            await WATCHER.read(self.home, ("stop", epoch), ask)
        except Unreadable as wrong:
            self.log.warning("%s: can't ask the driver of epoch %s to stop: %s", self.home, epoch, wrong)
        else:
            self.log.info("%s: asked the driver of epoch %s to stop, because the task was given up", self.home, epoch)
