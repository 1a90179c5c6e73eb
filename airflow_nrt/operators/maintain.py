"""Maintaining the tables of a lakehouse that a stream writes into, and the history in its home."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow.sdk import Context

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.operators.command_task import NrtCommandOperator
from airflow_nrt.operators.literal_parameters import check_literal, check_value
from airflow_nrt.usecases.requests.maintain import KEPT, MaintainRequest, MaintainResult


class NrtMaintainOperator(NrtCommandOperator):
    """Compacts the tables of Delta and Iceberg that a report writes into, and removes their old versions. Also removes
    old log entries of its home, if the report sets `home.keep`.

    It may run beside the stream: if the two conflict, the one that lost begins again. Published windows stay published,
    and can be verified.

    :param keep: (templated) how much of the tables' history stays, as `'7 d'`; at least an hour. Time travel further
        back finds nothing
    :xcom return_value: by insert, `files_before` and `files_after`
    """

    template_fields: Sequence[str] = (*NrtCommandOperator.template_fields, "keep")

    def __init__(self, *, keep: str = KEPT, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_literal("keep", keep, parse_duration)
        self.keep = keep

    def execute(self, context: Context) -> dict[str, Any]:
        with self.at_work():
            check_value("keep", self.keep, parse_duration)
            request = MaintainRequest(self.report_in_home(context, self.planned()), self.keep)
            done = MaintainResult.from_json(self.run_child(request).result)
        return dict(done.to_json()["tables"])
