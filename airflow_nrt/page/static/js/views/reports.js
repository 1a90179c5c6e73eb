// All reports, or those that one DAG supervises.

import { dagUrl, get } from "../api.js";
import { badge, empty, fill, h, table } from "../dom.js";
import { bound, count, duration, known, rate, sentence } from "../format.js";
import { leaveTo } from "../parts/airflow.js";
import { reportUrl } from "../route.js";
import { kindOf, rank } from "../states.js";

const COLUMNS = [
  { title: "State", order: (one) => rank(one.state), cell: (one) => badge(one.state, kindOf(one.state)) },
  { title: "Report", wraps: true, order: (one) => one.name, cell: named },
  {
    title: "DAG",
    wraps: true,
    order: (one) => one.dag_id ?? "",
    cell: (one) => one.dag_id && leaveTo(dagUrl(one.dag_id), one.dag_id),
  },
  { title: "Watermark lag", number: true, order: (one) => one.lag_seconds, cell: (one) => duration(one.lag_seconds) },
  { title: "Rows", number: true, order: (one) => one.rows_per_second, cell: (one) => rate(one.rows_per_second) },
  { title: "Latest window", wraps: true, order: (one) => one.freshness_seconds, cell: latest },
  { title: "Windows", number: true, order: (one) => one.windows, cell: (one) => count(one.windows) },
  { title: "Late rows", number: true, order: (one) => one.late_rows, cell: (one) => count(one.late_rows) },
  { title: "Restarts", number: true, order: (one) => one.restarts, cell: (one) => count(one.restarts) },
];

function latest({ latest_window_end: end, freshness_seconds: seconds }) {
  return [bound(end), known(seconds) ? h("span", { class: "under" }, `ended ${duration(seconds)} ago`) : null];
}

function named(one) {
  return [
    h("a", { href: reportUrl(one.id), class: "name", "data-focus": `report ${one.id}` }, one.name),
    h("span", { class: "under" }, one.home_label),
  ];
}

/** What is wrong; its first lines, as the page of the report has all of them. */
const why = (one) =>
  one.why && h("p", { class: `why few ${kindOf(one.state)}`, title: one.why }, sentence(one.why));

export function reportsView(main, { dag }) {
  const choice = { text: "", state: null, column: 0, down: false };
  const head = h("header", { class: "head" });
  const states = h("div", { class: "chips", role: "group", "aria-label": "States" });
  const search = h("input", {
    type: "search",
    placeholder: "Filter by name, DAG or home",
    "aria-label": "Filter reports",
    oninput: () => {
      choice.text = search.value.trim().toLowerCase();
      show();
    },
  });
  const notes = h("div");
  const list = h("section", { class: "card" });
  let data = null;

  function show() {
    const { reports, truncated, problems = [] } = data;
    view.shown = true;
    document.title = "NRT reports";
    if (!head.isConnected) main.replaceChildren(head, notes, h("div", { class: "bar" }, search, states), list);
    main.querySelector(".bar").hidden = reports.length === 0;
    fill(head, [dag], () => h("h1", {}, dag ? `Reports of ${dag}` : "Near-real-time reports"));
    fill(states, [reports.map((one) => one.state), choice.state], () => stateChips(reports));
    fill(notes, [problems, truncated], () => [
      ...problems.map((problem) => h("p", { class: "note" }, problem)),
      truncated ? h("p", { class: "note" }, "There are more reports than are listed here.") : null,
    ]);
    const rows = sorted(reports.filter(matches));
    fill(list, [rows, choice.column, choice.down, reports.length], () => {
      if (reports.length === 0) return nothing();
      return rows.length ? table("Reports", columns(), rows, why) : empty("No report fits this filter.");
    });
  }

  function matches(one) {
    const words = `${one.name} ${one.dag_id ?? ""} ${one.home_label ?? ""}`.toLowerCase();
    return (choice.state === null || one.state === choice.state) && words.includes(choice.text);
  }

  function sorted(reports) {
    const { order } = COLUMNS[choice.column];
    const less = (a, b) =>
      a === b ? 0 : a === null || a === undefined ? 1 : b === null || b === undefined ? -1 : a < b ? -1 : 1;
    const sign = choice.down ? -1 : 1;
    return [...reports].sort((a, b) => sign * less(order(a), order(b)) || less(a.name, b.name));
  }

  const columns = () =>
    COLUMNS.map((column, index) => ({
      ...column,
      order: choice.column === index ? (choice.down ? "descending" : "ascending") : null,
      head: h("button", { class: "sort", "data-focus": `sort ${index}`, onclick: () => sort(index) }, column.title),
    }));

  function sort(index) {
    choice.down = choice.column === index && !choice.down;
    choice.column = index;
    show();
  }

  function stateChips(reports) {
    const numbers = new Map();
    for (const { state } of reports) numbers.set(state, (numbers.get(state) ?? 0) + 1);
    const byRank = [...numbers].sort(([a], [b]) => rank(a) - rank(b));
    return byRank.map(([state, n]) =>
      h(
        "button",
        {
          class: `chip ${kindOf(state)}`,
          "aria-pressed": String(choice.state === state),
          "data-focus": `state ${state}`,
          onclick: () => {
            choice.state = choice.state === state ? null : state;
            show();
          },
        },
        h("b", {}, count(n)),
        ` ${state}`,
      ),
    );
  }

  const nothing = () =>
    dag
      ? empty(`No report is supervised by ${dag} yet. It appears here when its first stream has started.`)
      : empty(
          "No report yet. A report appears here when NrtStreamOperator has started it, and its home lies below the ",
          h("b", {}, "home"),
          " of a connection of type ",
          h("b", {}, "nrt"),
          ".",
        );

  const view = {
    shown: false,
    load: (signal) => get(["reports"], { dag_id: dag }, signal),
    show(answer) {
      data = answer;
      const { reports } = data;
      if (dag && reports.length === 1 && !view.shown) location.replace(reportUrl(reports[0].id));
      else show();
    },
  };
  return view;
}
