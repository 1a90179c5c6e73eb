// The windows of a day as a table, a page at a time.

import { badge, empty, h, table } from "../dom.js";
import { bound, count, moment } from "../format.js";
import { windowUrl } from "../route.js";

const columns = (id, zone, day) => [
  {
    title: "Window",
    cell: (one) =>
      h("a", { href: windowUrl(id, one.insert, one.end), "data-focus": `window ${one.end}` }, interval(one, day)),
  },
  { title: "State", cell: (one) => badge(one.state) },
  { title: "Rows", number: true, cell: (one) => count(one.rows) },
  { title: "Late rows", number: true, cell: (one) => count(one.late_rows) },
  { title: "Versions", number: true, cell: (one) => count(one.versions) },
  { title: "Verdict", cell: (one) => one.verdict },
  { title: "Published by", wraps: true, cell: (one) => one.published_by },
  {
    title: "Published at",
    wraps: true,
    cell: (one) =>
      one.waits ? "waits for its sink" : h("time", { datetime: one.published_at }, moment(one.published_at, zone)),
  },
];

/** `2026-11-26 14:10 – 14:20`; where it is clear which day is meant, without it. */
export function interval({ start, end }, day = null) {
  const [from, to] = [bound(start), bound(end)];
  const without = (text, known) => (text.startsWith(known) ? text.slice(11) : text);
  return `${without(from, day ?? "-")} – ${without(to, day ?? from.slice(0, 10))}`;
}

export function windowTable(id, { total, windows }, { zone, day }, offset, limit, go) {
  if (!total) return empty("No window of this day yet.");
  const turn = (to, text) =>
    h("button", { disabled: to < 0 || to >= total, "data-focus": text, onclick: () => go(to) }, text);
  return [
    table("Windows", columns(id, zone, day), windows),
    total > limit
      ? h(
          "div",
          { class: "pager" },
          turn(offset - limit, "Later"),
          h("span", {}, `${count(offset + 1)}–${count(Math.min(offset + limit, total))} of ${count(total)}`),
          turn(offset + limit, "Earlier"),
        )
      : null,
  ];
}
