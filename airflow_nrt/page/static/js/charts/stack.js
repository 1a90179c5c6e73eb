// The drawings of a report below each other on one axis of time: curve, windows, late rows, batches, epochs.

import { h } from "../dom.js";
import { compact, duration } from "../format.js";
import { onTheme } from "../theme.js";
import { createBars } from "./bars.js";
import { placed, wallClock } from "./clock.js";
import { createCurve } from "./curve.js";
import { createLegend } from "./legend.js";
import { createMarks } from "./marks.js";
import { createStrip } from "./strip.js";
import { createTip } from "./tip.js";

const DAY = 1440; // minutes
const BREAKS = new Set(["restart", "failed", "fenced"]);

const lane = (title, kind) => {
  const body = h("div", { class: "lane-body" });
  const name = h("span", { class: "lane-title" }, title);
  return { body, title: name, root: h("div", { class: `lane ${kind}` }, name, body) };
};

/** `onWindow(end)` is called when a person opens a window. */
export function createStack({ onWindow }) {
  const lanes = {
    strip: lane("Windows", "strip"),
    late: lane("Late rows", "plot"),
    batches: lane("Batch time", "plot"),
    marks: lane("Epochs", "marks"),
  };
  const curvePlace = h("div", { class: "curve", role: "img" });
  const tipPlace = h("div", { class: "tip", hidden: true });
  const legendPlace = h("div", { class: "legend" });
  const reset = h("button", { class: "reset", hidden: true, onclick: () => zoom(null) }, "Show the whole day");
  const root = h(
    "div",
    { class: "stack" },
    legendPlace,
    h("div", { class: "drawings" }, curvePlace, ...Object.values(lanes).map((one) => one.root), tipPlace, reset),
  );
  const axis = {
    min: 0,
    max: DAY,
    hidden: new Set(),
    onZoom: zoom,
    onCursor: point,
    uprights: () => events.filter(({ kind }) => BREAKS.has(kind)).map(({ minute }) => minute),
  };
  const curve = createCurve(curvePlace, axis);
  const late = createBars(lanes.late.body, axis, "late-updated", compact, true);
  const times = createBars(lanes.batches.body, axis, "idle", duration);
  const strip = createStrip(lanes.strip.body, axis, { onWindow, onCursor: point });
  const marks = createMarks(lanes.marks.body, axis);
  const legend = createLegend(legendPlace, axis, () => draw());
  const tip = createTip(tipPlace, axis);
  let shown = null;
  let batches = [];
  let events = [];
  let by = "time";
  let width = 0;

  const plots = (act) => [curve, late, times].forEach((one) => one.each(act));

  function draw() {
    const { steps, windows, day, zone } = shown.curve;
    const now = (wallClock(shown.now, zone) - Date.parse(`${day}T00:00Z`)) / 60_000;
    curve.show(shown.curve, now > 0 && now < DAY ? now : null);
    strip.show(shown.curve);
    late.show(
      steps,
      windows.map((window) => window?.late_rows ?? 0),
    );
    times.show(
      batches.map(({ minute }) => minute),
      batches.map(({ seconds }) => seconds),
    );
    const last = batches.at(-1)?.minute ?? 0;
    const end = shown.isRunning && by === "time" ? Math.min(DAY, Math.max(now, last)) : last;
    marks.show(events, { from: batches[0]?.minute ?? null, end, epoch: shown.epoch });
    lanes.batches.title.textContent = by === "time" ? "Batch time" : "Batch time, at its watermark";
    legend.show(shown.curve);
    curvePlace.setAttribute("aria-label", legend.text(shown.curve));
  }

  /** Shows the minutes from `min` to `max`; the whole day without. */
  function zoom(min, max = DAY) {
    [axis.min, axis.max] = min === null ? [0, DAY] : [Math.max(0, min), Math.min(DAY, max)];
    reset.hidden = min === null;
    if (!shown) return;
    plots((one) => one.setScale("x", { min: axis.min, max: axis.max }));
    draw();
  }

  function point(minutes) {
    if (shown) tip.show(minutes, { curve: shown.curve, batches });
  }

  const resized = new ResizeObserver(() => {
    if (curvePlace.clientWidth === width) return;
    width = curvePlace.clientWidth;
    plots((one) => one.setSize({ width, height: one.height }));
  });
  resized.observe(curvePlace);
  const ended = onTheme(() => plots((one) => one.redraw(false)));

  return {
    root,
    zoom,
    show(next) {
      shown = next;
      ({ batches, events, by } = placed(next.timeline, next.curve.day, next.curve.zone));
      draw();
    },
    /** The interval in view at whole steps, `2026-01-31 14:20` on the report's clock; null without a curve. */
    range() {
      if (!shown) return null;
      const { day, step_minutes } = shown.curve;
      const step = Math.min(step_minutes || 1, DAY);
      const at = (minutes) =>
        new Date(Date.parse(`${day}T00:00Z`) + minutes * 60_000).toISOString().slice(0, 16).replace("T", " ");
      const start = Math.round(axis.min / step) * step;
      return { start: at(start), end: at(Math.max(Math.round(axis.max / step) * step, start + step)) };
    },
    close() {
      resized.disconnect();
      ended();
      plots((one) => one.destroy());
    },
  };
}
