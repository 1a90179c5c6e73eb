// What a person can do to a report. Each is asked for once more, with what it does, before anything is sent.

import { airflowUrl, post } from "../api.js";
import { h } from "../dom.js";
import { sentence } from "../format.js";
import { leaveTo } from "./airflow.js";

const TITLES = { stop: "Stop", verify: "Verify", repair: "Repair", backfill: "Backfill" };
const WITHOUT_RANGE = new Set(["stop"]);
const HARMLESS = new Set(["verify"]);

/** Buttons; `range()` is the interval in view, `{start, end}`: `2026-01-31 14:20` on the report's clock. */
export function actionButtons(report, range, done) {
  const known = (report.actions ?? []).filter(({ name }) => name in TITLES);
  const refused = known.filter(({ enabled }) => !enabled);
  const reasons = [...new Set(refused.map(({ text }) => text))];
  return h(
    "div",
    { class: "actions" },
    h(
      "div",
      { role: "group", "aria-label": "Actions" },
      known.map((action) =>
        h(
          "button",
          {
            class: action.name === "stop" ? "danger" : null,
            disabled: !action.enabled,
            title: sentence(action.text),
            "data-focus": `action ${action.name}`,
            onclick: () => ask(report, action, range(), done),
          },
          `${TITLES[action.name]}…`,
        ),
      ),
    ),
    reasons.length === 1 && refused.length === known.length ? h("p", { class: "under" }, sentence(reasons[0])) : null,
  );
}

function ask(report, { name, text }, interval, done) {
  const title = TITLES[name];
  const hasRange = !WITHOUT_RANGE.has(name);
  const bounds = hasRange ? { start: time("From", interval?.start), end: time("To", interval?.end) } : {};
  const message = h("p", { class: "message", role: "status" });
  const confirm = h("button", { type: "submit", class: HARMLESS.has(name) ? "primary" : "danger" }, title);
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Cancel");
  const form = h(
    "form",
    { onsubmit: send },
    h("h2", { id: "asked" }, `${title} ${report.name}?`),
    h("p", {}, sentence(text)),
    hasRange ? h("div", { class: "bar" }, bounds.start.label, bounds.end.label) : null,
    hasRange
      ? h("p", { class: "under" }, "Windows that end after From and up to To, in the time zone of the report.")
      : null,
    message,
    h("div", { class: "bar end" }, close, confirm),
  );
  const dialog = h("dialog", { "aria-labelledby": "asked", onclose: () => dialog.remove() }, form);

  async function send(event) {
    event.preventDefault();
    confirm.disabled = true;
    message.className = "message";
    message.textContent = "Asked…";
    const body = Object.fromEntries(Object.entries(bounds).map(([key, { input }]) => [key, isoOf(input.value)]));
    try {
      const answer = await post(["reports", report.id, name], body);
      const url = answer.link ? airflowUrl(answer.link) : null;
      message.replaceChildren(sentence(answer.message), ...(url ? [" ", leaveTo(url, "Open in Airflow")] : []));
      confirm.remove();
      close.textContent = "Close";
      close.focus();
      done();
    } catch (error) {
      message.className = "message bad";
      message.textContent = sentence(error.message);
      confirm.disabled = false;
    }
  }

  document.body.append(dialog);
  dialog.showModal();
  (bounds.start?.input ?? close).focus();
}

const isoOf = (text) => text.replace(" ", "T") + (text.length === 16 ? ":00" : "");

function time(title, value) {
  const input = h("input", {
    required: true,
    value,
    pattern: "\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d(:\\d\\d)?",
    placeholder: "2026-01-31 14:20",
    title: "A time like 2026-01-31 14:20",
    autocomplete: "off",
  });
  return { input, label: h("label", {}, title, input) };
}
