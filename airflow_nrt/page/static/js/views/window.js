// One window: its rows, its versions, the verifier's verdict, who published it.

import { get } from "../api.js";
import { badge, empty, fill, h, table } from "../dom.js";
import { bound, count, known, moment, number, sentence } from "../format.js";
import { crumbs } from "../parts/facts.js";
import { replacedRows } from "../parts/replaced.js";
import { interval } from "../parts/windows.js";
import { reportUrl } from "../route.js";

export function windowView(main, { id, insert, end }) {
  const place = h("div");
  const view = {
    shown: false,
    async load(signal) {
      const { name, zone, inserts } = await get(["reports", id], {}, signal);
      const of = insert ?? inserts.find((one) => one.window)?.name ?? "";
      return { name, zone, window: await get(["reports", id, "windows", of, end], {}, signal) };
    },
    show({ name, zone, window }) {
      if (!view.shown) main.replaceChildren(place);
      view.shown = true;
      document.title = `${interval(window)} – ${name}`;
      fill(place, [name, zone, window], () => [
        crumbs(
          { text: name, href: reportUrl(id, { insert: window.insert, day: window.start.slice(0, 10) }) },
          { text: interval(window) },
        ),
        h(
          "header",
          { class: "head" },
          h(
            "div",
            {},
            h("h1", {}, interval(window), badge(window.state)),
            h("p", { class: "under" }, `${window.insert}, times in ${zone}`),
            window.wrong_since && h("p", { class: "under" }, sentence(window.wrong_since)),
          ),
        ),
        summary(window, zone),
        h(
          "div",
          { class: "columns even" },
          h("section", { class: "card" }, h("h2", {}, "Rows"), rowsOf(window)),
          h("section", { class: "card" }, h("h2", {}, "Versions"), history(window, zone)),
        ),
        window.replaced &&
          h(
            "section",
            { class: "card" },
            h("h2", {}, "Before and now"),
            replacedRows(window.replaced, window.scales, zone),
          ),
        window.late.length ? h("section", { class: "card" }, h("h2", {}, "Late rows"), lateRows(window)) : null,
      ]);
    },
  };
  return view;
}

function summary(window, zone) {
  const fact = (title, value, more = null) =>
    known(value) ? h("div", {}, h("dt", {}, title), h("dd", {}, value, more && h("small", {}, more))) : null;
  return h(
    "dl",
    { class: "facts" },
    Object.entries(window.total ?? {}).map(([measure, value]) =>
      fact(`Total ${measure}`, number(value, window.scales?.[measure])),
    ),
    fact("Late rows", count(window.late_rows)),
    fact("Versions", count(window.versions)),
    fact("Verdict", window.verdict, window.verified_at && moment(window.verified_at, zone)),
    fact("Published by", window.published_by, window.waits ? "waits for its sink" : window.published_at && moment(window.published_at, zone)),
    fact("Checksum", window.checksum && h("code", {}, window.checksum)),
  );
}

function rowsOf({ columns, rows, note }) {
  if (!rows.length) return empty(note ? sentence(note) : "There is no row of this window in the sample.");
  return [
    table(
      "Rows",
      columnsOf(columns, rows, (row, index) => row[index]),
      rows,
    ),
    note && h("p", { class: "under" }, sentence(note)),
  ];
}

const lateRows = ({ late }) => {
  const names = [...new Set(late.flatMap(({ row }) => Object.keys(row)))];
  return table(
    "Late rows",
    [
      ...columnsOf(names, late, ({ row }, _, name) => row[name]),
      { title: "Watermark", cell: (one) => bound(one.watermark) },
      { title: "File", cell: (one) => one.file },
    ],
    late,
  );
};

/** Columns of texts; a column of numbers is aligned to the right. */
function columnsOf(names, rows, value) {
  const isNumber = (text) => !known(text) || /^[-+]?[\d.,]+(e[-+]?\d+)?$/i.test(text);
  return names.map((name, index) => ({
    title: name,
    number: rows.every((row) => isNumber(value(row, index, name))),
    cell: (row) =>
      known(value(row, index, name)) ? String(value(row, index, name)) : h("i", { class: "null" }, "NULL"),
  }));
}

function history({ history: versions }, zone) {
  if (!versions.length) return empty("Nothing was published for this window.");
  return table(
    "Versions",
    [
      { title: "Version", number: true, cell: (one) => count(one.version) },
      { title: "State", cell: (one) => badge(one.state) },
      { title: "Published at", wraps: true, cell: (one) => moment(one.at, zone) },
      { title: "By", wraps: true, cell: (one) => [one.by, one.cause && h("small", {}, one.cause)].filter(Boolean) },
      { title: "Rows", number: true, cell: (one) => count(one.rows) },
      {
        title: "Checksum",
        cell: (one) => one.checksum && h("code", { title: one.checksum }, `…${one.checksum.slice(-8)}`),
      },
    ],
    versions,
  );
}
