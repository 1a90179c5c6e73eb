// Starts, stops and repairs on the axis of time, over a band for each epoch.

import { fill, h } from "../dom.js";
import { EVENT_KINDS } from "../parts/events.js";
import { timeOf } from "./clock.js";

const LETTERS = {
  start: "S", restart: "R", stop: "■", failed: "!", fenced: "F", finished: "✓", backfill: "B", repair: "P", verify: "V",
};
const OPENS = new Set(["start", "restart"]);

export function createMarks(place, axis) {
  const at = (minute) => `${(100 * (minute - axis.min)) / (axis.max - axis.min)}%`;
  const inView = ({ minute }) => minute >= axis.min && minute <= axis.max;

  function bands(events, end) {
    const opened = events.filter(({ kind }) => OPENS.has(kind));
    return opened.map(({ minute, epoch }, index) => {
      const from = Math.max(minute, axis.min);
      const to = Math.min(opened[index + 1]?.minute ?? end, axis.max);
      return to > from && h("span", { class: `epoch ${index % 2 ? "odd" : ""}`, style: { left: at(from), width: `calc(${at(to)} - ${at(from)})` } },
        epoch === null || epoch === undefined ? "" : `epoch ${epoch}`);
    });
  }

  return {
    show(events, end) {
      fill(place, [events, axis.min, axis.max, end], () => [
        ...bands(events, end),
        ...events.filter(inView).map(({ minute, kind, text }) => h("span", {
          class: `mark ${EVENT_KINDS[kind] ?? "idle"}`, style: { left: at(minute) }, role: "img",
          title: `${timeOf(minute)} ${kind}: ${text}`, "aria-label": `${timeOf(minute)} ${kind}: ${text}`,
        }, LETTERS[kind] ?? "•")),
      ]);
    },
  };
}
