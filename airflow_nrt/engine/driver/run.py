"""Running a report's stream: the lease, the feeds, time that passes without rows, the heartbeat, and how it ends."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import FencedError, NrtError
from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.archive.keeper import ArchiveKeeper
from airflow_nrt.engine.dimensions.newest import check_dimension
from airflow_nrt.engine.driver.decide.failures import RETRIES, Attempts, Failure, GiveUp, Stop, Wait, after_failure
from airflow_nrt.engine.driver.feed import Feed
from airflow_nrt.engine.driver.filling import Filling
from airflow_nrt.engine.driver.idleness import idle_timeout
from airflow_nrt.engine.driver.part import LEFT, TAKEN, Alone, Part
from airflow_nrt.engine.driver.retaining import Retaining
from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.failures.damaged_state import named_in_home
from airflow_nrt.engine.failures.failures import explained, in_full, in_short
from airflow_nrt.engine.failures.refusals import Refusals
from airflow_nrt.engine.failures.servers import OutdatedLoginError, RefusedError, UnreachableError
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.functions import register_functions
from airflow_nrt.engine.java.fitting import unusable
from airflow_nrt.engine.java.java_process import java_has_ended
from airflow_nrt.engine.publish.claiming import check_claim, claim
from airflow_nrt.engine.publish.owing import Attempt, Owing, held
from airflow_nrt.engine.publish.publishing import publish_owed
from airflow_nrt.engine.publish.recovery import publish_abandoned
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.spark.own_session import own_session
from airflow_nrt.files.process_start import ProcessStart
from airflow_nrt.home.heartbeat import (
    FAILED,
    FENCED,
    FINISHED,
    RUNNING,
    STARTING,
    STOPPED,
    Heartbeat,
    now_ms,
    write_heartbeat,
)
from airflow_nrt.home.home import Home, Replan
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.fold.checkpoints import read_by, write_checkpoints
from airflow_nrt.home.log.fold.looks import NO_LOOKS, looks_of, note_looks
from airflow_nrt.home.log.fold.settled import note_settled
from airflow_nrt.home.log.history.arithmetic import check_arithmetic
from airflow_nrt.home.log.past.past import write_missing_past
from airflow_nrt.home.log.splits import Split
from airflow_nrt.home.next_generation import give_up_next
from airflow_nrt.home.notes.unread import note_unread
from airflow_nrt.home.notes.unusable import UnusableClasses, note_unusable
from airflow_nrt.home.reopened import reopening
from airflow_nrt.home.skipped import asked, skipping
from airflow_nrt.home.visible import is_waiting, staged_directories
from airflow_nrt.model.input.policy import policies_of
from airflow_nrt.model.options.known import REFUSED_TIMEOUT, REPORT_OPTIONS, read_option
from airflow_nrt.model.plan import Plan

LOOP_SECONDS = 0.05
BEAT_SECONDS = 1.0
NOTE_SECONDS = 60.0
"""How often it is noted what was seen of sources."""
_READING = "what is read"
"""The name of the sources and of the tables that are looked up, among the servers that refuse a login."""

log = logging.getLogger(__name__)


class Runner:
    """Runs one report until its input ends, a stop is requested, or an error ends it.

    `spark` is the session of the application, in which other reports may run. The report has one of its own.

    `available_now` ends it when everything that has arrived by then is absorbed; open windows stay open. `stop_asked`
    stops it after its batch; a batch that fails after that is left to the next driver. `replan` plans the report
    of the home, to which this one may have added inserts; None if the home was made for this one. `part` is what it
    does where the report has changed.
    """

    def __init__(
        self,
        spark: SparkSession,
        plan: Plan,
        home: Home,
        available_now: bool = False,
        launch: str = "",
        stop_asked: threading.Event | None = None,
        replan: Replan | None = None,
        part: Part | None = None,
    ) -> None:
        self.spark = spark
        self.plan = plan
        self.home = home
        self.available_now = available_now
        self.launch = launch
        self.replan = replan
        self.part = part or Alone()
        # One thread at a time appends to the log.
        self.lock = threading.RLock()
        self.stop_asked = stop_asked or threading.Event()
        self._over = threading.Event()
        self._closing = False
        self._beat = self._first_beat()
        self._feeds: list[Feed] = []
        self._driver: StreamDriver | None = None
        most_refused = read_option(dict(plan.settings), REPORT_OPTIONS, REFUSED_TIMEOUT)
        self._owing = Owing(most_refused=most_refused)
        self._refusals = Refusals(most_refused)
        self._has_run = False
        self._archives: list[ArchiveKeeper] = []
        self._filling: Filling | None = None
        self._noted: Mapping[str, str] = {}
        self._next_checkpoint = 0
        self._retaining: Retaining | None = None
        self._next_note = 0.0
        self._is_settled = True

    def _first_beat(self) -> Heartbeat:
        started = now_ms()
        application, process = self.spark.sparkContext.applicationId, ProcessStart.of(os.getpid())
        return Heartbeat(
            STARTING, 0, socket.gethostname(), os.getpid(), started, application, self.launch, progress=started,
            process_start=process, ui=self.spark.sparkContext.uiWebUrl or "",
        )  # fmt: skip

    def run(self) -> str:
        """Gives the state that it ended in. Raises NrtError, after it has written the error to the heartbeat."""
        spark = own_session(self.spark)
        try:
            self._check_sources(spark)
            self._claim_tables(spark)
        except NrtError as wrong:
            if self.part.holds_results:
                # Only `status` shows it while the other driver goes on. No third one writes this heartbeat.
                self._say(state=FAILED, error=str(wrong), final=not wrong.passes)
                self._write_beat()
            raise
        if self.stop_asked.is_set():
            # A lease would fence a driver that may go on.
            return STOPPED
        reach("lease-before")
        skipped = asked(self.home)
        reopened = reopening(self.home)
        beat, policies = self._beat, policies_of(self.plan)
        lease = Lease(beat.host, beat.pid, beat.application, policies, skipped, reopened.directories)
        writer = Writer.begin(self.home.log(), lease, self.part.above)
        self.part.begun(writer, lambda: self._is_stop_asked(writer))
        self.home.drop_stop_request(writer.epoch, self.launch)
        reach("lease-after")
        reopened.is_done()
        self._say(state=RUNNING, epoch=writer.epoch)
        beating = threading.Thread(target=self._keep_beating, name="heartbeat", daemon=True)
        beating.start()
        try:
            if self.replan is not None:
                self.home.accept(self.plan, self.replan)
            if self.part.is_alone:
                give_up_next(self.home)
            reach("fill-accepted")
            self.plan = skipping(skipped, self.plan)
            state = self._run_with_retries(spark, writer)
            if state != LEFT:
                self._say(state=state)
        except FencedError as fenced:
            self._say(state=FENCED, error=str(fenced), final=True)
            raise
        except NrtError as wrong:
            self._say(state=FAILED, error=str(wrong), final=not wrong.passes)
            raise
        except BaseException as wrong:
            self._say(state=FAILED, error=f"{type(wrong).__name__}: {wrong}")
            raise
        finally:
            self._over.set()
            beating.join()
            with contextlib.suppress(OSError, NrtError):
                self._write_beat()
        return state

    def _check_sources(self, spark: SparkSession) -> None:
        """Raises InputError for a table that can't be read, before a lease fences anybody.

        Once the report has begun, a server may be away.
        """
        has_begun = self.home.log().last >= 0
        check_arithmetic(self.plan, self.home.log().position())
        for source in () if has_begun else self.plan.sources:
            source_of(source.table).check(spark, source.table)
        for lookup in () if has_begun else self.plan.lookups:
            check_dimension(spark, lookup)

    def _claim_tables(self, spark: SparkSession) -> None:
        """Raises InputError for a table that can't be written.

        Once the report has begun, a server may be away. A sink's table is then checked before it gets its results. One
        that is added must be there.
        """
        has_begun = self.home.log().last >= 0
        added = self.home.additions(self.plan, self.replan) if self.replan is not None else {}
        for insert in self.plan.written:
            try:
                (check_claim if self.part.holds_results else claim)(spark, self.home, insert)
            except UnreachableError as gone:
                if not has_begun or insert.name in added:
                    raise
                self._owing.hold(insert, gone)

    @property
    def _attempt(self) -> Attempt:
        return held if self.part.holds_results else self._owing.attempt

    def _run_with_retries(self, spark: SparkSession, writer: Writer) -> str:
        attempts = Attempts(writer.last)
        while True:
            try:
                state = self._run_once(spark, writer)
                ended = self.part.after(state)
                if ended is not None:
                    return ended
                if state == TAKEN:
                    self._claim_tables(spark)
            except BaseException as failure:
                # A successor removes files that this driver still reads. Then it is fenced, whatever else has failed.
                writer.check()
                known = named_in_home(explained(failure, self.plan.origins), self.home)
                first = failure.__cause__ or failure
                if known is not first:
                    # For the log of a driver: a command that a person watches is silent below WARNING.
                    log.info("what failed, in full: %s", in_full(first))
                attempts = attempts.after(writer.last)
                if known is not None:
                    self._refusals.meet(_READING, known)
                judged = self._judged(failure, known)
                may_stop = not judged.is_final and not judged.is_exit
                step = after_failure(judged, attempts, is_stop_asked=may_stop and self._is_stop_asked(writer))
                if isinstance(step, GiveUp):
                    raise (known or failure) from (failure if judged.is_final else failure.__cause__)
                reason = in_short(failure, self.plan.origins)
                if isinstance(step, Stop):
                    log.info("the batch under way is left to the next driver: %s", reason)
                    return STOPPED
                if isinstance(step, Wait):
                    log.warning("waiting %s s: %s", step.seconds, known)
                    self._say(error=f"waiting: {known}")
                else:
                    log.warning("batch failed (%s of %s), trying again: %s", step.times, RETRIES, reason)
                    self._say(error=f"trying again after: {reason}")
                self.stop_asked.wait(step.seconds)

    def _judged(self, failure: BaseException, known: NrtError | None) -> Failure:
        # At the start of a run it is an error.
        is_refused = isinstance(known, RefusedError) and self._has_run
        return Failure(
            is_final=known is not None and not known.passes and not is_refused,
            is_unreachable=is_refused or isinstance(known, UnreachableError),
            is_exit=not isinstance(failure, Exception) or isinstance(known, OutdatedLoginError),
            has_no_engine=java_has_ended(),
        )

    # ------------------------------------------------------------------ one life of the queries

    def _run_once(self, spark: SparkSession, writer: Writer) -> str:
        # A mere refresh would ignore a newer lease, and the log would take commits of two drivers.
        writer.check()
        self._closing = False
        register_functions(spark, self.plan)
        for source in self.plan.sources:
            source_of(source.table).guard(spark, source.table)
        driver = StreamDriver(spark, self.plan, self.home, writer, attempt=self._attempt)
        self._driver = driver
        scratch = self.home.scratch / str(writer.epoch)
        scratch.delete_all()
        with self.lock:
            driver.recover()
            self._is_settled = True
            self._filling = Filling(spark, self.home, self.plan, writer, self._attempt)
            self._keep_up(writer)
            self._retaining = Retaining(spark, self.plan, self.home, lambda: bool(self._filling))
        self._progressed()
        read, looks = read_by(writer.log), looks_of(writer.log)
        archived = (source for source in self.plan.sources if source.is_archived)
        self._archives = [ArchiveKeeper(spark, self.home, source, writer) for source in archived]
        self._feeds = []
        try:
            for source in self.plan.sources:
                name, place, own = source.name, scratch.local, read.of(source.name)
                known = {one.part for one in own.ranges}
                begins = [one for one in self.part.begins(name) if one.part not in known]
                feed = Feed(spark, source, place, own, self._absorb, looks.get(name, NO_LOOKS), begins)
                self._feeds.append(feed)
            return self._loop(driver)
        finally:
            for feed in self._feeds:
                feed.stop()
            driver.close()

    def _keep_up(self, writer: Writer) -> None:
        """Notes what the next driver need not do or read again."""
        self._next_checkpoint = write_checkpoints(writer.log)
        write_missing_past(writer.log)
        is_settled = self._is_settled and not self._owing and not writer.foreign_entries
        if is_settled and not staged_directories(self.home):
            note_settled(writer.log)

    def _loop(self, driver: StreamDriver) -> str:
        idle_after = {source.name: idle_timeout(self.plan, source) for source in self.plan.sources}
        while True:
            if self._is_stop_asked(driver.writer):
                return self._stop(driver.writer)
            if self.part.is_asked_to_leave() and self._has_published(driver.writer):
                self._stop(driver.writer)
                return LEFT
            # Taken before the loop: a source that is drained during its turn must get one more turn, to end.
            drained = {feed.source.name: feed.is_drained for feed in self._feeds}
            for feed in self._feeds:
                feed.poll()
                if feed.is_bounded and drained[feed.source.name]:
                    self._note(driver, feed.source.name, ended=True)
                timeout = idle_after[feed.source.name]
                if timeout is not None:
                    self._note_idle(driver, feed, timeout)
                self._close_quiet_directories(driver, feed)
            ends = self.available_now or all(feed.is_bounded for feed in self._feeds)
            is_read = all(drained[feed.source.name] and feed.is_drained for feed in self._feeds)
            looked = min((feed.looked for feed in self._feeds), default=0.0) if is_read else None
            if self.part.takes_over(driver.position, looked):
                return TAKEN
            if self.part.is_waited_for():
                for feed in self._feeds:
                    feed.look_soon()
            if ends and is_read and not self._owing and not self._filling and not self.part.holds_results:
                with self.lock:
                    for archive in self._archives:
                        archive.finish(driver.position, driver.replace_files)
                    if self._retaining is not None:
                        self._retaining.finish(driver.writer.log)
                self._note_looks(driver.writer)
                return FINISHED
            self._has_run = True
            self._between_batches(driver)
            time.sleep(LOOP_SECONDS)

    def _has_published(self, writer: Writer) -> bool:
        """Whether all that entries have decided is in its tables, those of backfills among them."""
        is_owed = self._owing or self._filling
        return not is_owed and not any(is_waiting(self.home, entry) for entry in writer.foreign_entries)

    def _between_batches(self, driver: StreamDriver) -> None:
        """Checks for a newer lease (a batch does when it appends), and fires windows over processing time.

        Also publishes what sinks did not take, and the results of backfills that died after their entry.
        """
        assert self._retaining is not None
        if self.lock.acquire(blocking=False):
            try:
                driver.writer.check()
                foreign = driver.writer.foreign_entries
                if not publish_abandoned(driver.spark, self.home, self.plan, foreign, self._attempt):
                    self._is_settled = False
                self._publish_owed(driver)
                before = driver.writer.log.last
                driver.pass_time()
                for archive in self._archives if not self.part.holds_results else ():
                    archive.step(driver.position, driver.replace_files)
                if self._filling:
                    self._filling.step()
                if driver.writer.last >= self._next_checkpoint:
                    self._keep_up(driver.writer)
                    self._retaining.look_again()
                self._retaining.step(driver.writer.log)
                if time.monotonic() > self._next_note:
                    self._note_looks(driver.writer)
                if driver.writer.log.last > before:
                    self._progressed()
            finally:
                self.lock.release()

    def _close_quiet_directories(self, driver: StreamDriver, feed: Feed) -> None:
        directories = feed.closable()
        if directories:
            with self.lock:
                driver.close_directories(feed.source.name, directories)
            feed.closed(directories)
            count = counted(len(directories), "directory")
            log.info("%s: %s closed, %s the newest", feed.source.name, count, directories[-1])
            self._progressed()

    def _note_looks(self, writer: Writer) -> None:
        """Notes what the next driver need not list again, and what is not read of closed directories.

        Only while no batch is under way that may be rejected.
        """
        note_looks(writer.log, {feed.source.name: feed.looks for feed in self._feeds})
        note_unread(self.home, {feed.source.name: feed.unread for feed in self._feeds})
        self._next_note = time.monotonic() + NOTE_SECONDS

    def _publish_owed(self, driver: StreamDriver) -> None:
        """Publishes what is owed, where its time has come."""
        if self._owing:
            publish_owed(driver.spark, self.home, self.plan, self._owing)
            self._say(error=self._waiting(), owed=self._lacking())

    def _note(self, driver: StreamDriver, source: str, *, idle: bool = False, ended: bool = False) -> None:
        with self.lock:
            before = driver.writer.log.last
            driver.note(source, idle=idle, ended=ended)
            if driver.writer.log.last > before:
                self._progressed()

    def _note_idle(self, driver: StreamDriver, feed: Feed, timeout: int) -> None:
        if feed.is_idle(timeout):
            self._note(driver, feed.source.name, idle=True)
            return
        active = driver.active_parts(feed.source.name)
        parts = [part for part in feed.idle_parts(timeout) if part in active]
        if parts:
            with self.lock:
                driver.note_parts(feed.source.name, parts)

    def _absorb(self, source: str, splits: list[Split], ends: bool) -> None:
        assert self._driver is not None
        with self.lock:
            if self._closing:
                return
            self._driver.absorb(source, splits, ends=ends)
        self._refusals.end(_READING)
        self._progressed()

    def _is_stop_asked(self, writer: Writer) -> bool:
        is_over = self.stop_asked.is_set() or self.part.is_over()
        return is_over or self.home.is_stop_asked(writer.epoch, self.launch)

    def _stop(self, writer: Writer) -> str:
        """Waits for the running batch, and rejects the next one."""
        with self.lock:
            # A feed takes a batch that is rejected from now on for absorbed.
            self._note_looks(writer)
            self._closing = True
        return STOPPED

    # ------------------------------------------------------------------ heartbeat

    def _progressed(self) -> None:
        assert self._driver is not None
        self._say(progress=now_ms(), entry=self._driver.writer.log.last, error=self._waiting(), owed=self._lacking())

    def _waiting(self) -> str | None:
        texts = [f"waiting: {self._owing}"] if self._owing else []
        return "; ".join([*texts, str(self._filling)] if self._filling else texts) or None

    def _lacking(self) -> dict[str, int]:
        """By table, the first entry whose results are not in it yet."""
        first = dict(self._owing.first)
        for name, entry in self._filling.first.items() if self._filling else ():
            first[name] = min(entry, first.get(name, entry))
        return first

    def _say(self, **changes: object) -> None:
        if changes.get("error") is not None:
            # Tasks write it into their logs.
            changes["error"] = self.plan.given.shown(str(changes["error"]))
        self._beat = replace(self._beat, **changes)  # type: ignore[arg-type]

    def _keep_beating(self) -> None:
        while True:
            try:
                self._write_beat()
            except (OSError, NrtError) as wrong:
                log.warning("can't write the heartbeat: %s", wrong)
            if self._over.wait(BEAT_SECONDS):
                return

    def _write_beat(self) -> None:
        waiting = [feed.pending for feed in self._feeds]
        files, size = sum(one[0] for one in waiting), sum(one[1] for one in waiting)
        unreadable = sum(feed.unreadable for feed in self._feeds)
        beat = replace(self._beat, pending_files=files, pending_bytes=size, unreadable_files=unreadable)
        write_heartbeat(self.home.heartbeats, beat)
        # Some are compiled when they are first used.
        reasons = unusable(self.spark)
        if reasons != self._noted:
            note_unusable(self.home, UnusableClasses(beat.epoch, self.spark.version, reasons))
            self._noted = reasons
