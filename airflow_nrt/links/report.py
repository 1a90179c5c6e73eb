"""Links from a task to its report: the page, the driver's log and Spark's UI, live while the task runs or is deferred.

Airflow shows the XCom of a link, and writes it when a phase in a worker ends. A stream task is deferred for days, so
`push_links` writes it before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
from airflow.providers.common.compat.sdk import conf
from airflow.sdk import BaseOperator, BaseOperatorLink

if TYPE_CHECKING:
    from airflow_nrt.home.home import Home

PAGE = "nrt"
"""The path of the plugin's page, below Airflow's address."""


@attrs.define
class _HomeLink(BaseOperatorLink):
    """A link that the task computes itself: before that the task has none."""

    def get_link(self, operator: BaseOperator, *, ti_key: Any) -> str:
        links: Mapping[str, str] = getattr(operator, "links", {})
        return links.get(self.xcom_key, "")


@attrs.define
class NrtReportLink(_HomeLink):
    """The page of the report: its curve, its windows, its driver."""

    name = "Report"


@attrs.define
class NrtDriverLogLink(_HomeLink):
    """The last output of the drivers of the home."""

    name = "Driver log"


@attrs.define
class NrtSparkLink(_HomeLink):
    """Spark's UI of the driver, if it has one: a local master has none unless `spark.ui.enabled` is set."""

    name = "Spark UI"


def links_of(home: Home, spark: str = "") -> dict[str, str]:
    """The links of a home by their XCom keys. `spark` is the address of the driver's Spark UI, empty without one."""
    from airflow_nrt.home.ids import home_id

    page = f"{(conf.get('api', 'base_url', fallback='') or '').rstrip('/')}/{PAGE}"
    of = home_id(home.path)
    return {
        NrtReportLink().xcom_key: f"{page}/#/report/{of}",
        NrtDriverLogLink().xcom_key: f"{page}/api/reports/{of}/log",
        NrtSparkLink().xcom_key: spark,
    }


def push_links(links: Mapping[str, str], ti: Any) -> None:
    """Makes links visible now, not only when the task's phase ends."""
    for key, link in links.items():
        ti.xcom_push(key, link)
