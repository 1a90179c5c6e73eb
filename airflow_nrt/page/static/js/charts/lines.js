// How lines look: the colour is the key, the stroke is the day.

import { h } from "../dom.js";
import { color } from "../theme.js";

export const MOST_KEYS = 8;
const DASHES = { day: [], day_before: [], week_before: [5, 4] };

/** The stroke of one key on one day. With one key the days before have a colour of their own, to stand back. */
export function stroke(role, index, keys) {
  const own = color(`key-${index % MOST_KEYS}`);
  if (role === "day") return own;
  return keys === 1 ? color("other-day") : `${own}99`;
}

export const lineOf = (role, index, keys) => ({
  stroke: () => stroke(role, index, keys),
  width: role === "day" ? 2.25 : 1.25,
  dash: DASHES[role],
  fill: role === "day" && keys === 1 ? (plot) => shade(plot, color("key-0")) : undefined,
});

function shade({ ctx, bbox }, base) {
  const gradient = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height);
  gradient.addColorStop(0, `${base}33`);
  gradient.addColorStop(1, `${base}00`);
  return gradient;
}

/** The colour of a key, beside its name. */
export const swatch = (index) =>
  h("span", { class: "swatch", style: { "--swatch": `var(--key-${index % MOST_KEYS})` } });

/** The stroke of a day, beside its name. */
export const sample = (role) => h("span", { class: `stroke ${role}` });
