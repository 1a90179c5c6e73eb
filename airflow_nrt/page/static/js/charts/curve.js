// The curve of a day over the day before and the same day of the week before, for each chosen key.

import { compact } from "../format.js";
import { color } from "../theme.js";
import { lineOf } from "./lines.js";
import { plot, upright } from "./plot.js";

const HEIGHT = 300;
const REMARKABLE = new Set(["late-updated", "backfilled", "repaired", "set-by-hand", "mismatch"]);

/** The lines in the order in which they are drawn: what came before first, so that the day lies over it. */
export function linesOf({ days }, hidden) {
  return [...days]
    .reverse()
    .filter(({ role }) => !hidden.has(role))
    .flatMap(({ role, label, series }) =>
      series.map(({ key, values }, index) => ({ role, label, key, values, index, keys: series.length })),
    );
}

export function createCurve(place, axis) {
  let drawn = null;
  let shape = "";
  let curve = null;
  let now = null;

  const marks = (self) => {
    if (now !== null) upright(self, now, color("faint"), [2, 3]);
    for (const minute of axis.uprights()) upright(self, minute, `${color("bad")}88`, [4, 3]);
    const [own] = curve.days[0]?.series ?? [];
    if (!own || axis.hidden.has("day")) return;
    curve.windows.forEach((window, index) => {
      const [x, y] = [curve.steps[index], own.values[index]];
      if (!window || !REMARKABLE.has(window.state) || y === null || y === undefined || x < axis.min || x > axis.max)
        return;
      dot(self, x, y, color(window.state));
    });
  };

  return {
    show(next, minuteNow) {
      [curve, now] = [next, minuteNow];
      const lines = linesOf(curve, axis.hidden);
      const data = [curve.steps, ...lines.map((line) => line.values)];
      const nextShape = lines.map(({ role, key }) => `${role} ${key}`).join("\n");
      if (drawn && shape === nextShape) return drawn.setData(data);
      shape = nextShape;
      drawn?.destroy();
      const series = lines.map(({ role, index, keys }) => lineOf(role, index, keys));
      drawn = plot(place, { height: HEIGHT, axis, series, data, values: compact, labels: true, draw: [marks] });
      return undefined;
    },
    each: (act) => drawn && act(drawn),
  };
}

function dot({ ctx, valToPos }, x, y, fill) {
  ctx.save();
  ctx.beginPath();
  ctx.arc(valToPos(x, "x", true), valToPos(y, "y", true), 3 * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fillStyle = fill;
  ctx.strokeStyle = color("surface");
  ctx.lineWidth = devicePixelRatio;
  ctx.fill();
  ctx.stroke();
  ctx.restore();
}
