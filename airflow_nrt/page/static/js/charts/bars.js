// A low drawing of bars below the curve: late rows of windows, durations of batches.

import { color } from "../theme.js";
import { plot, upright } from "./plot.js";

const HEIGHT = 76;

/** `name` is a property of the theme, `values` formats the left axis, `whole` says that they are counts. */
export function createBars(place, axis, name, values, whole = false) {
  let drawn = null;

  function bars(self) {
    const {
      ctx,
      bbox,
      data: [xs, ys],
    } = self;
    const width = Math.max(
      devicePixelRatio,
      Math.min(6 * devicePixelRatio, (bbox.width / Math.max(xs.length, 1)) * 0.7),
    );
    const floor = self.valToPos(0, "y", true);
    ctx.save();
    ctx.fillStyle = color(name);
    xs.forEach((x, index) => {
      if (!ys[index] || x < axis.min || x > axis.max) return;
      const top = Math.min(self.valToPos(ys[index], "y", true), floor - devicePixelRatio);
      ctx.fillRect(self.valToPos(x, "x", true) - width / 2, top, width, floor - top);
    });
    ctx.restore();
    for (const minute of axis.uprights()) upright(self, minute, `${color("bad")}88`, [4, 3]);
  }

  return {
    show(xs, ys) {
      if (drawn) drawn.setData([xs, ys]);
      else {
        const series = [{ paths: () => null }];
        drawn = plot(place, {
          height: HEIGHT,
          axis,
          series,
          data: [xs, ys],
          values,
          ticks: 20,
          points: false,
          whole,
          above: 20,
          draw: [bars],
        });
      }
    },
    each: (act) => drawn && act(drawn),
  };
}
