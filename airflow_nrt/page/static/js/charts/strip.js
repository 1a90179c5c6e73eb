// A cell for each window of the day, coloured by its state. Arrow keys go from one to the next, Enter opens it.

import { fill, h } from "../dom.js";
import { plural } from "../format.js";
import { WINDOW_STATES } from "../states.js";
import { timeOf } from "./clock.js";

export function createStrip(place, axis, { onWindow, onCursor }) {
  let curve = null;
  let current = null;

  function describe(window, minute) {
    const late = window.late_rows ? `, ${plural(window.late_rows, "late row")}` : "";
    return `Window until ${timeOf(minute)}: ${WINDOW_STATES[window.state] ?? window.state}${late}`;
  }

  function cells() {
    const { steps, windows, step_minutes: step } = curve;
    const shown = steps
      .map((minute, index) => ({ minute, window: windows[index] }))
      .filter(({ window, minute }) => window && minute > axis.min && minute - step < axis.max);
    const entry = shown.some(({ window }) => window.end === current) ? current : shown.at(-1)?.window.end;
    return shown.map(({ minute, window }) => {
      const from = Math.max(minute - step, axis.min);
      const width = Math.min(minute, axis.max) - from;
      return h("button", {
        class: `cell ${window.state}`,
        tabindex: window.end === entry ? "0" : "-1",
        "data-focus": `cell ${window.end}`,
        "data-minute": minute,
        "data-end": window.end,
        "aria-label": describe(window, minute),
        style: { left: percent(from - axis.min), width: percent(width) },
      });
    });
  }

  const percent = (minutes) => `${(100 * minutes) / (axis.max - axis.min)}%`;

  place.addEventListener("click", ({ target }) => target.dataset.end && onWindow(target.dataset.end));
  place.addEventListener("focusin", ({ target }) => target.dataset.minute && point(target));
  place.addEventListener("focusout", () => onCursor(null));
  place.addEventListener("keydown", (event) => {
    const all = [...place.children];
    const at = all.indexOf(event.target);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || !all[to]) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    all[to].tabIndex = 0;
    all[to].focus();
  });

  function point(cell) {
    current = cell.dataset.end;
    onCursor(Number(cell.dataset.minute));
  }

  return {
    show(next) {
      curve = next;
      fill(place, [curve.windows, axis.min, axis.max, curve.day], cells);
    },
  };
}
