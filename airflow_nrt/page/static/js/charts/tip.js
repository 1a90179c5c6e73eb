// The text at the cursor: the values of the day with the change to the days before, the window, the batch.

import { fill, h } from "../dom.js";
import { change, count, duration, number, plural } from "../format.js";
import { WINDOW_STATES } from "../states.js";
import { timeOf } from "./clock.js";
import { sample } from "./lines.js";

const NEAR = 15; // minutes within which a batch is said to be at the cursor

export function createTip(place, axis) {
  function show(minutes, { curve, batches }) {
    const at = minutes === null || !curve.steps.length ? null : nearest(curve.steps, minutes);
    place.hidden = at === null;
    if (at === null) return;
    const minute = curve.steps[at];
    const batch = batches.length
      ? batches[
          nearest(
            batches.map((one) => one.minute),
            minutes,
          )
        ]
      : null;
    const share = (minute - axis.min) / (axis.max - axis.min);
    place.classList.toggle("left", share > 0.5);
    place.style.setProperty("--at", share);
    fill(
      place,
      [
        minute,
        curve.days.map((day) => day.series.map(({ values }) => values[at])),
        curve.windows[at],
        batch,
        [...axis.hidden],
      ],
      () => [
        h("b", {}, timeOf(minute)),
        values(curve, at),
        windowLine(curve.windows[at]),
        batch && Math.abs(batch.minute - minutes) < NEAR
          ? h("p", {}, `Batch ${timeOf(batch.minute)}: ${duration(batch.seconds)}, ${plural(batch.rows, "row")}`)
          : null,
      ],
    );
  }

  function values({ days, scale }, at) {
    const shown = days.filter(({ role }) => !axis.hidden.has(role));
    const keys = days[0]?.series.map(({ key }) => key) ?? [];
    return h(
      "table",
      {},
      h(
        "tbody",
        {},
        keys.flatMap((key, index) =>
          shown.map(({ role, label, series }) => {
            const value = series[index]?.values[at];
            return h(
              "tr",
              keys.length > 1 ? { style: { "--swatch": `var(--key-${index})` } } : {},
              h(
                "th",
                { scope: "row" },
                sample(role),
                keys.length > 1 && role === shown[0].role ? h("b", {}, key) : label,
              ),
              h("td", { class: "number" }, number(value, scale)),
              h("td", { class: "number" }, role === "day" ? "" : change(days[0].series[index]?.values[at], value)),
            );
          }),
        ),
      ),
    );
  }

  return { show };
}

function windowLine(window) {
  if (!window) return h("p", {}, "No window published");
  return h(
    "p",
    {},
    h("span", { class: `dot ${window.state}` }),
    WINDOW_STATES[window.state] ?? window.state,
    window.version > 1 ? `, version ${count(window.version)}` : "",
    window.late_rows ? `, ${plural(window.late_rows, "late row")}` : "",
  );
}

/** The index of the number of an ascending list that is next to `value`. */
function nearest(list, value) {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - list[low - 1] < list[low] - value ? low - 1 : low;
}
