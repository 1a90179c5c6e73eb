// The meaning of strokes and colours. A day can be hidden; the numbers say how many windows are in each state.

import { fill, h } from "../dom.js";
import { count, number } from "../format.js";
import { WINDOW_STATES } from "../states.js";
import { timeOf } from "./clock.js";
import { sample } from "./lines.js";

export function createLegend(place, axis, changed) {
  function toggle(role) {
    if (!axis.hidden.delete(role)) axis.hidden.add(role);
    changed();
  }

  const dayButton = ({ role, label, date }) =>
    h(
      "button",
      {
        class: "key",
        "aria-pressed": String(!axis.hidden.has(role)),
        title: date,
        "data-focus": `day ${role}`,
        onclick: () => toggle(role),
      },
      sample(role),
      label,
    );

  function states(windows) {
    const numbers = new Map();
    for (const window of windows) if (window) numbers.set(window.state, (numbers.get(window.state) ?? 0) + 1);
    return Object.keys(WINDOW_STATES)
      .filter((state) => numbers.has(state))
      .map((state) =>
        h(
          "span",
          { class: "key", title: WINDOW_STATES[state] },
          h("span", { class: `dot ${state}` }),
          h("b", {}, count(numbers.get(state))),
          ` ${state}`,
        ),
      );
  }

  return {
    show: ({ days, windows }) =>
      fill(place, [days.map(({ label, date }) => [label, date]), windows, [...axis.hidden]], () => [
        h("div", { role: "group", "aria-label": "Days" }, days.map(dayButton)),
        h("div", {}, states(windows)),
      ]),

    /** The curve in words. */
    text({ days, steps, measure, scale }) {
      const lines = days.flatMap(({ label, series }) =>
        series.map(({ key, values }) => {
          const last = values.findLastIndex((value) => value !== null);
          return last < 0 ? null : `${label} ${key}: ${number(values[last], scale)} at ${timeOf(steps[last])}`;
        }),
      );
      return `Curve of ${measure ?? "the report"}. ${lines.filter(Boolean).join("; ")}`;
    },
  };
}
