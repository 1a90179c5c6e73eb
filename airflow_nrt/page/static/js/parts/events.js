// What happened to a report, as text.

import { badge, empty, h } from "../dom.js";
import { moment } from "../format.js";

const MOST = 100;
export const EVENT_KINDS = {
  start: "good",
  restart: "warn",
  stop: "idle",
  failed: "bad",
  fenced: "bad",
  backfill: "other",
  repair: "other",
  fill: "other",
  verify: "other",
};

export function eventList(events, zone) {
  if (!events.length) return empty("Nothing but windows on this day.");
  const latest = [...events].reverse().slice(0, MOST);
  return h(
    "ol",
    { class: "events" },
    latest.map(({ at, kind, epoch, text }) =>
      h(
        "li",
        {},
        badge(kind, EVENT_KINDS[kind] ?? "idle"),
        h("time", { datetime: at }, moment(at, zone)),
        h("span", {}, text, epoch === null || epoch === undefined ? null : h("small", {}, ` epoch ${epoch}`)),
      ),
    ),
  );
}
