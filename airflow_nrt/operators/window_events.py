"""Emitting the windows of a report as asset events."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow.providers.common.compat.sdk import AirflowSkipException
from airflow.sdk import Asset, BaseOperator, Context

from airflow_nrt.operators.connection import DEFAULT_CONNECTION
from airflow_nrt.operators.literal_parameters import check_literal, one_of
from airflow_nrt.operators.messages.ending import ending_the_task

if TYPE_CHECKING:
    from airflow_nrt.home.home import Home
    from airflow_nrt.home.window_events import EventKind, WindowEvents
    from airflow_nrt.triggers.cursor import Cursor

_EMITTED = ("success", "skipped")


class NrtDispatchOperator(BaseOperator):
    """Emits an asset event for each window that is new in the log of a home, with the window's end as partition key.

    Use these tasks through `airflow_nrt.assets.dispatcher.dispatcher_dag`, which makes a DAG of them. A run emits all
    windows since the last run that succeeded, in their order, each once. It is skipped if there are none. A cleared
    task emits the windows of its run again.

    The extra of an event has `report`, `home`, `table`, `entry` (the last log entry that was read) and `delay_seconds`:
    how long ago the first window of the run was published.

    :param log: the asset whose watcher looks at the home; its state store keeps the cursor
    :param asset: the asset of the events
    :param kind: `complete`: windows that are complete; `restated`: those that were restated
    :param home: (templated) the report's home; a relative path starts at the connection's `home`
    :param table: (templated) the table whose windows are emitted; default: the only one that has windows
    :param nrt_conn_id: (templated) a connection of type `nrt`; no connection if `nrt_default` is not defined
    :xcom return_value: the partition keys of the run's events, in their order
    """

    template_fields: Sequence[str] = ("home", "table", "nrt_conn_id")
    ui_color = "#e4f2ec"

    def __init__(
        self,
        *,
        log: Asset,
        asset: Asset,
        kind: str,
        home: str,
        table: str | None = None,
        nrt_conn_id: str | None = DEFAULT_CONNECTION,
        **kwargs: Any,
    ) -> None:
        super().__init__(inlets=[log], outlets=[asset], **kwargs)
        check_literal("kind", kind, one_of("complete", "restated"))
        self.log_asset = log
        self.asset = asset
        self.kind = kind
        self.home = home
        self.table = table
        self.nrt_conn_id = nrt_conn_id

    def execute(self, context: Context) -> list[str]:
        """Returns the partition keys that it emits."""
        from airflow_nrt.home.home import Home
        from airflow_nrt.home.window_events import KINDS, table_of
        from airflow_nrt.hooks.nrt import NrtHook
        from airflow_nrt.triggers.cursor import Cursor

        kind = next(kind for kind in KINDS if kind.name == self.kind)
        store = context["asset_state_store"][self.log_asset]
        known = store.get(kind.name)
        if known is None:
            raise AirflowSkipException("the watcher has not looked at the home yet")
        with ending_the_task(self.log):
            unopened = NrtHook(self.nrt_conn_id).home(self.home)
            home = Home.open(unopened.path, unopened.group)
            table = table_of(home, self.table)
            events, after = self._claimed(home, kind, table, Cursor.from_json(known).of(home), context)
            after = after if events.ends else events.until
            store.set(kind.name, Cursor(home.identity().id, after, events.until, context["ti"].run_id).to_json())
        if not events.ends:
            raise AirflowSkipException(f"no window is new up to entry {events.until} of the log")
        return self._emit(home, table, events, context)

    def _claimed(
        self, home: Home, kind: EventKind, table: str, cursor: Cursor, context: Context
    ) -> tuple[WindowEvents, int]:
        """The events of this run, and the entry after which they begin. Another try takes the same as the first one."""
        from airflow_nrt.home.window_events import read_window_events

        ti = context["ti"]
        if cursor.run == ti.run_id:
            return read_window_events(home, kind, table, cursor.after, cursor.until), cursor.after
        after = cursor.begin(lambda run: self._has_emitted(ti, run))
        return read_window_events(home, kind, table, after), after

    def _has_emitted(self, ti: Any, run: str) -> bool:
        found = ti.get_task_states(dag_id=ti.dag_id, task_ids=[ti.task_id], run_ids=[run])
        state = found.get(run, {}).get(ti.task_id)
        self.log.info("run %s, which emitted last: %s", run, state or "is not there any more")
        return str(getattr(state, "value", state)) in _EMITTED

    def _emit(self, home: Home, table: str, events: WindowEvents, context: Context) -> list[str]:
        from airflow_nrt.basics.instants import iso_instant

        keys = [iso_instant(end) or "end" for end in events.ends]
        delay = max(0.0, time.time() - (events.since or 0) / 1000)
        event = context["outlet_events"][self.asset]
        event.add_partitions(keys)
        # A set has no order, and Airflow registers events in the order of its keys.
        event.partition_keys = dict.fromkeys(keys)  # type: ignore[assignment]
        event.extra = {
            "report": home.identity().name,
            "home": str(home.path),
            "table": table,
            "entry": events.until,
            "delay_seconds": round(delay, 1),
        }
        message = "%d windows of %s, from %s to %s, the first of them published %.1f s ago"
        self.log.info(message, len(keys), table, keys[0], keys[-1], delay)
        return keys
