// What of a report is shown: insert, measure, day, keys.

import { h } from "../dom.js";
import { MOST_KEYS, swatch } from "../charts/lines.js";

export const TOTAL = "TOTAL";

export function controls(report, curve, choose) {
  const inserts = report.inserts.filter((insert) => insert.window).map((insert) => insert.name);
  const measures = report.inserts.find((insert) => insert.name === curve.insert)?.measures ?? [];
  const keys = curve.days[0]?.series.map(({ key }) => key) ?? [];
  return [
    h(
      "div",
      { class: "bar" },
      inserts.length > 1
        ? picker("Result", inserts, curve.insert, (insert) => choose({ insert, measure: null, keys: [] }))
        : null,
      measures.length ? picker("Measure", measures, curve.measure, (measure) => choose({ measure })) : null,
      dayPicker(report, curve, choose),
    ),
    curve.known_keys.length ? keyChips([...new Set([TOTAL, ...keys, ...curve.known_keys])], keys, choose) : null,
  ];
}

function picker(title, names, chosen, choose) {
  const select = h(
    "select",
    { "data-focus": title, onchange: () => choose(select.value) },
    names.map((name) => h("option", { value: name, selected: name === chosen }, name)),
  );
  return h("label", {}, title, select);
}

function dayPicker({ days, zone }, { day }, choose) {
  const known = days.includes(day) ? days : [...days, day].sort().reverse();
  const older = days.find((one) => one < day);
  const newer = days.findLast((one) => one > day);
  const step = (to, text, title) =>
    h(
      "button",
      { "aria-label": title, title, disabled: !to, "data-focus": title, onclick: () => choose({ day: to }) },
      text,
    );
  return h(
    "div",
    { class: "day", role: "group", "aria-label": "Day" },
    step(older, "‹", "The day before that has windows"),
    picker("Day", known, day, (to) => choose({ day: to })),
    step(newer, "›", "The day after that has windows"),
    h("button", { disabled: !newer, "data-focus": "latest", onclick: () => choose({ day: null }) }, "Latest"),
    h("span", { class: "zone" }, zone),
  );
}

function keyChips(keys, chosen, choose) {
  const full = chosen.length >= MOST_KEYS;
  return h(
    "div",
    { class: "chips keys", role: "group", "aria-label": "Keys" },
    keys.map((key) => {
      const on = chosen.includes(key);
      const next = on ? chosen.filter((one) => one !== key) : [...chosen, key];
      return h(
        "button",
        {
          class: "chip",
          "aria-pressed": String(on),
          "data-focus": `key ${key}`,
          disabled: full && !on,
          title: full && !on ? `At most ${MOST_KEYS} keys at once` : null,
          onclick: () => choose({ keys: next }),
        },
        on ? swatch(chosen.indexOf(key)) : null,
        key,
      );
    }),
  );
}
