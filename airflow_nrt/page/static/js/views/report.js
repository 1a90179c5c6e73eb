// One report: how it is doing, its curve with what happened on one time axis, its windows, its script, its log.

import { get } from "../api.js";
import { utcDays } from "../charts/clock.js";
import { createStack } from "../charts/stack.js";
import { empty, fill, h } from "../dom.js";
import { sentence } from "../format.js";
import { actionButtons } from "../parts/actions.js";
import { controls } from "../parts/controls.js";
import { eventList } from "../parts/events.js";
import { crumbs, facts, headline } from "../parts/facts.js";
import { log } from "../parts/log.js";
import { script } from "../parts/script.js";
import { windowTable } from "../parts/windows.js";
import { reportUrl, windowUrl } from "../route.js";

const PAGE = 20;

export function reportView(main, route, read) {
  const { id } = route;
  let { choice } = route;
  let offset = 0;
  let data = null;
  const place = Object.fromEntries(
    ["head", "facts", "bar", "note", "windows", "events", "script"].map((name) => [name, h("div", { class: name })]),
  );
  const stack = createStack({
    onWindow: (end) => {
      location.hash = windowUrl(id, data.curve.insert, end);
    },
  });
  const logPart = log(id);

  function build() {
    main.replaceChildren(
      place.head,
      place.facts,
      h("section", { class: "card charts", "aria-label": "Curve" }, place.bar, place.note, stack.root),
      h(
        "div",
        { class: "columns" },
        h("section", { class: "card" }, place.windows),
        h("section", { class: "card" }, h("h2", {}, "What happened"), place.events),
      ),
      h("section", { class: "card folded" }, place.script, logPart.root),
    );
  }

  function choose(change) {
    offset = 0;
    choice = { ...choice, ...change };
    history.replaceState(history.state, "", reportUrl(id, choice));
    if (!change.keys) stack.zoom(null);
    read();
  }

  function turn(to) {
    offset = to;
    read();
  }

  function show() {
    const { report, curve, timeline, windows, note } = data;
    const { sql, inserts, days, ...state } = report;
    document.title = `${report.name} – NRT`;
    fill(place.head, [report.name, report.state, report.why, report.dag_id, report.supervisors, report.actions], () => [
      crumbs({ text: report.name }),
      headline(
        report,
        actionButtons(report, () => stack.range(), read),
      ),
    ]);
    fill(place.facts, state, facts);
    fill(
      place.bar,
      [
        inserts,
        days,
        choice,
        curve && { ...curve, windows: null, days: curve.days.map(({ series }) => series.length) },
      ],
      () => curve && controls(report, curve, choose),
    );
    fill(place.note, note, (text) => text && empty(sentence(text)));
    stack.root.hidden = !curve;
    if (curve) {
      const isRunning = report.state === "running";
      stack.show({ curve, timeline, now: Date.now(), isRunning, epoch: curve.day === days[0] ? report.epoch : null });
    }
    const day = curve?.day ?? choice.day;
    place.windows.parentElement.hidden = !hasWindows(report);
    fill(place.windows, [windows, offset, report.zone, day], () => [
      h("h2", {}, day ? `Windows of ${day}` : "Windows"),
      windowTable(id, windows, { zone: report.zone, day }, offset, PAGE, turn),
    ]);
    fill(place.events, [timeline.events, report.zone], () => eventList(timeline.events, report.zone));
    fill(place.script, [sql, report.sql_cut], () => script(sql, report.sql_cut));
    logPart.refresh();
  }

  const view = {
    shown: false,
    accepts: (next) => next.name === "report" && next.id === id,
    change(next) {
      choice = next.choice;
    },
    close: () => stack.close(),

    async load(signal) {
      const { insert, measure, day, keys } = choice;
      const [report, curve] = await Promise.all([
        get(["reports", id], {}, signal),
        curveOf(id, { insert, measure, day, keys }, signal),
      ]);
      const shownDay = curve.day ?? day;
      const [timeline, windows] = await Promise.all([
        timelineOf(id, shownDay, report.zone, signal),
        hasWindows(report)
          ? get(
              ["reports", id, "windows"],
              { insert: curve.insert ?? insert, day: shownDay, offset, limit: PAGE },
              signal,
            )
          : { total: 0, windows: [] },
      ]);
      return { report, curve: curve.steps ? curve : null, note: noteOf(report, curve), timeline, windows };
    },

    show(answer) {
      data = answer;
      if (!view.shown) build();
      view.shown = true;
      show();
    },
  };
  return view;
}

const hasWindows = (report) => report.inserts.some((insert) => insert.window);

/** The curve, or `{note}` where there is none to show. */
async function curveOf(id, chosen, signal) {
  try {
    return await get(["reports", id, "curve"], chosen, signal);
  } catch (error) {
    if (error.status === 404 || error.status === 409 || error.status === 422) return { note: error.message };
    throw error;
  }
}

/** What ran on the day of the curve; on the latest day, if nothing ran on that one. */
async function timelineOf(id, day, zone, signal) {
  const ask = (one) => get(["reports", id, "timeline"], { day: one }, signal);
  const all = await Promise.all(day ? utcDays(day, zone).map(ask) : [ask(null)]);
  const found = { batches: all.flatMap((one) => one.batches), events: all.flatMap((one) => one.events) };
  return found.batches.length || found.events.length || !day ? found : ask(null);
}

function noteOf(report, curve) {
  if (!hasWindows(report)) return "The results of this report have no windows, so there is no curve.";
  if (curve.note) return curve.note;
  const some = curve.days.some(({ series }) => series.some(({ values }) => values.some((value) => value !== null)));
  return some ? null : "There are no values of this day.";
}
