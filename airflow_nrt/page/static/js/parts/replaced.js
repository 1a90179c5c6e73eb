// What stood in a window before a restatement replaced it, against what stands there now.

import { h, table } from "../dom.js";
import { count, known, moment, number } from "../format.js";

/** `of` is the `replaced` of a window; its numbers have the digits of `scales`. */
export function replacedRows(of, scales, zone) {
  const digits = (measure) => scales?.[measure];
  const longest = Math.max(0, ...of.compared.flatMap(({ before, now }) => [before[0], now[0]].map(size)));
  return [
    h(
      "p",
      { class: "under" },
      `Version ${of.version}, ${of.by}, ${moment(of.at, zone)}: ${count(of.rows)} rows. Now ${count(of.rows_now)}.`,
    ),
    h(
      "dl",
      { class: "facts" },
      of.measures.map((measure, index) =>
        h(
          "div",
          {},
          h("dt", {}, `Total ${measure}`),
          h("dd", {}, ...change(of.totals[index].before, of.totals[index].now, digits(measure))),
        ),
      ),
    ),
    of.compared.length > 0 &&
      table(
        "Before and now",
        [
          ...of.keys.map((name, index) => ({ title: name, cell: (row) => row.key[index] })),
          { title: `${of.measures[0]}, before over now`, wraps: true, cell: (row) => bars(row, longest) },
          ...of.measures.map((measure, index) => ({
            title: measure,
            number: true,
            cell: (row) => cells(row, index, digits(measure)),
          })),
        ],
        of.compared,
      ),
  ];
}

const size = (value) => (known(value) ? Math.abs(value) : 0);

function bars({ before, now }, longest) {
  const bar = (kind, value) =>
    h("span", { class: `bar ${kind}`, style: { "--share": `${longest ? (100 * size(value)) / longest : 0}%` } });
  return h("span", { class: "bars" }, bar("before", before[0]), bar("now", now[0]));
}

function cells(row, index, digits) {
  if (row.gone) return h("span", {}, number(row.before[index], digits), " → gone");
  if (row.new) return h("span", {}, "new: ", number(row.now[index], digits));
  return h("span", {}, ...change(row.before[index], row.now[index], digits));
}

function change(before, now, digits) {
  if (before === now) return [number(now, digits)];
  return [number(before, digits), " → ", number(now, digits)];
}
