// One drawing on the shared axis of time. uPlot draws; it is a script of its own that sets the global `uPlot`.

import { color } from "../theme.js";
import { timeOf } from "./clock.js";

const LEFT = 74; // px, where all drawings begin
const RIGHT = 18;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360];
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6, 1e7, 1e8];
const FONT = "11px Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/**
 * `axis` is the shared part: `{min, max}` in minutes, with `onZoom(min, max)` and `onCursor(minutes or null)`.
 * `values` formats the left axis, `labels` says whether times are written below, `whole` that values are counts.
 */
export function plot(
  place,
  {
    height,
    axis,
    series,
    data,
    values,
    labels = false,
    ticks = 50,
    points = true,
    whole = false,
    draw = [],
    above = 10,
  },
) {
  const grid = { stroke: () => color("grid"), width: 1 };
  const text = { stroke: () => color("muted"), font: FONT };
  const options = {
    width: Math.max(place.clientWidth, 200),
    height,
    legend: { show: false },
    padding: [above, RIGHT, labels ? 0 : 6, 0],
    scales: {
      x: { time: false, range: () => [axis.min, axis.max] },
      y: { range: (_, low, high) => [Math.min(0, low ?? 0), top(high)] },
    },
    axes: [
      {
        ...text,
        grid,
        ticks: { show: false },
        size: labels ? 26 : 0,
        gap: 6,
        space: 64,
        incrs: STEPS,
        values: (_, splits) => (labels ? splits.map(timeOf) : splits.map(() => "")),
      },
      {
        ...text,
        grid,
        ticks: { show: false },
        size: LEFT,
        gap: 8,
        space: ticks,
        ...(whole ? { incrs: WHOLE } : {}),
        values: (_, splits) => splits.map(values),
      },
    ],
    series: [{}, ...series.map((one) => ({ points: { show: false }, ...one }))],
    cursor: {
      y: false,
      points: points ? { size: 7, width: 2 } : { show: false },
      sync: { key: "nrt", scales: ["x", null] },
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => () => axis.onZoom(null) },
    },
    hooks: {
      draw,
      setSelect: [
        (self) => {
          const { left, width } = self.select;
          if (width < 4) return;
          const [from, to] = [self.posToVal(left, "x"), self.posToVal(left + width, "x")];
          self.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          axis.onZoom(from, to);
        },
      ],
      setCursor: [(self) => axis.onCursor(self.cursor.left >= 0 ? self.posToVal(self.cursor.left, "x") : null)],
    },
  };
  return new uPlot(options, data, place);
}

function top(high) {
  if (!(high > 0)) return 1;
  return high * 1.06;
}

/** A vertical line at `minutes`. */
export function upright(self, minutes, stroke, dash = []) {
  const { ctx, bbox } = self;
  const x = Math.round(self.valToPos(minutes, "x", true)) + 0.5;
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.beginPath();
  ctx.setLineDash(dash.map((one) => one * devicePixelRatio));
  ctx.lineWidth = devicePixelRatio;
  ctx.strokeStyle = stroke;
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
