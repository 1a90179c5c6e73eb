// Starts, stops and repairs on the axis of time, over a band for each epoch.

import { fill, h } from "../dom.js";
import { EVENT_KINDS } from "../parts/events.js";
import { timeOf } from "./clock.js";

const LETTERS = {
  start: "S",
  restart: "R",
  stop: "■",
  failed: "!",
  fenced: "F",
  finished: "✓",
  backfill: "B",
  repair: "P",
  verify: "V",
};
const OPENS = new Set(["start", "restart"]);

export function createMarks(place, axis) {
  const at = (minute) => `${(100 * (minute - axis.min)) / (axis.max - axis.min)}%`;
  const inView = ({ minute }) => minute >= axis.min && minute <= axis.max;

  function bands(events, { from: first, end, epoch }) {
    const opened = events.filter(({ kind }) => OPENS.has(kind));
    const next = opened[0];
    const before =
      first !== null && (!next || first < next.minute)
        ? [{ minute: first, epoch: next ? next.epoch - 1 || null : epoch }]
        : [];
    return [...before, ...opened].map(({ minute, epoch: number }, index, all) => {
      const from = Math.max(minute, axis.min);
      const to = Math.min(all[index + 1]?.minute ?? end, axis.max);
      return (
        to > from &&
        h(
          "span",
          {
            class: `epoch ${index % 2 ? "odd" : ""}`,
            style: { left: at(from), width: `calc(${at(to)} - ${at(from)})` },
          },
          number ? h("span", {}, `epoch ${number}`) : null,
        )
      );
    });
  }

  return {
    /** `ran` is from where to where batches ran, and the epoch in which they did if none began on this day. */
    show(events, ran) {
      fill(place, [events, axis.min, axis.max, ran], () => [
        ...bands(events, ran),
        ...events.filter(inView).map(({ minute, kind, text }) =>
          h(
            "span",
            {
              class: `mark ${EVENT_KINDS[kind] ?? "idle"}`,
              style: { "--at": at(minute) },
              role: "img",
              title: `${timeOf(minute)} ${kind}: ${text}`,
              "aria-label": `${timeOf(minute)} ${kind}: ${text}`,
            },
            LETTERS[kind] ?? "•",
          ),
        ),
      ]);
    },
  };
}
