// The head of a report: where one is, its state, the numbers that say how it is doing.

import { dagUrl } from "../api.js";
import { badge, h } from "../dom.js";
import { bound, count, duration, known, plural, rate, sentence } from "../format.js";
import { kindOf } from "../states.js";
import { leaveTo } from "./airflow.js";

/** `All reports / orders / window`; each step is `{text, href?}`. The first link leaves a DAG's tab for all reports. */
export function crumbs(...steps) {
  return h(
    "nav",
    { "aria-label": "Where this is", class: "crumbs" },
    h(
      "ol",
      {},
      [{ text: "All reports", href: "./#/" }, ...steps].map(({ text, href }) =>
        h("li", {}, href ? h("a", { href, "data-focus": href }, text) : h("span", { "aria-current": "page" }, text)),
      ),
    ),
  );
}

export function headline(report, buttons) {
  return h(
    "header",
    { class: "head" },
    h(
      "div",
      {},
      h("h1", {}, report.name, badge(report.state, kindOf(report.state))),
      h(
        "p",
        { class: "under" },
        report.dag_id ? ["DAG ", leaveTo(dagUrl(report.dag_id), report.dag_id), " · "] : null,
        report.home,
        report.host ? ` · ${report.host}` : null,
        report.application ? ` · ${report.application}` : null,
      ),
      report.supervisors?.length ? h("p", { class: "under" }, `Supervised by ${report.supervisors.join("; ")}`) : null,
      report.why ? h("p", { class: `why ${kindOf(report.state)}` }, sentence(report.why)) : null,
    ),
    buttons,
  );
}

export function facts(report) {
  const fresh = report.freshness_seconds;
  return h(
    "dl",
    { class: "facts" },
    fact("Watermark lag", duration(report.lag_seconds), report.watermark ? bound(report.watermark.slice(0, 19)) : null),
    fact("Rows", rate(report.rows_per_second), known(report.rows) ? `${count(report.rows)} in all` : null),
    fact("Latest window", bound(report.latest_window_end), known(fresh) ? `ended ${duration(fresh)} ago` : null),
    fact("Windows", count(report.windows), report.decided_windows > report.windows ? decided(report) : null),
    (report.tables ?? []).some((one) => one.waits)
      ? report.tables.map((one) => fact(`Table ${one.name}`, one.published ? bound(one.published) : "–", toCome(one)))
      : null,
    fact("Late rows", count(report.late_rows), lost(report)),
    report.unread_files ? fact("Unread files", count(report.unread_files), "in closed directories") : null,
    fact("Restarts", count(report.restarts), known(report.epoch) ? `epoch ${report.epoch}` : null),
  );
}

const decided = (report) =>
  [`${count(report.decided_windows)} decided`, report.decided_until ? `up to ${bound(report.decided_until)}` : null]
    .filter(known)
    .join(" ");

/** Rows that are in no result, and fields that are NULL in one: these rows count. */
const lost = ({ rejected_rows: rows, null_fields: fields }) =>
  [
    rows ? `${plural(rows, "row")} rejected` : null,
    fields ? `${plural(fields, "field")} read as NULL` : null,
  ]
    .filter(known)
    .join(", ") || null;

const toCome = (one) =>
  !one.waits ? "all published" : one.decided ? `decided up to ${bound(one.decided)}` : "results wait for the sink";

const fact = (title, value, more = null) =>
  h("div", {}, h("dt", {}, title), h("dd", {}, value, more && h("small", {}, more)));
