// Which view is shown, and when it is read again.

import { fill, h } from "./dom.js";
import { sentence } from "./format.js";
import { parse } from "./route.js";
import { reportView } from "./views/report.js";
import { reportsView } from "./views/reports.js";
import { windowView } from "./views/window.js";

const EVERY = 5_000; // ms
const VIEWS = { reports: reportsView, report: reportView, window: windowView };

const banner = document.getElementById("banner");
const main = document.getElementById("main");
let view = null;
let timer = null;
let reading = null;

function warn(message) {
  banner.hidden = !message;
  fill(banner, message, (text) => text ?? "");
}

async function read() {
  clearTimeout(timer);
  reading?.abort();
  const [mine, mySignal] = [view, (reading = new AbortController()).signal];
  try {
    const data = await mine.load(mySignal);
    if (mine !== view || mySignal.aborted) return;
    warn(null);
    main.removeAttribute("aria-busy");
    mine.show(data);
  } catch (error) {
    if (mine !== view || error.name === "AbortError") return;
    fail(mine, error);
  }
  timer = setTimeout(refresh, EVERY);
}

function fail(mine, error) {
  main.removeAttribute("aria-busy");
  if (error.status === undefined) console.error(error);
  if (mine.shown) warn(`${sentence(error.message)} What is shown here may be old.`);
  else
    main.replaceChildren(
      h(
        "div",
        { class: "failure" },
        h("h1", {}, "This can't be shown"),
        h("p", {}, sentence(error.message)),
        h("p", {}, h("a", { href: "#/" }, "All reports")),
      ),
    );
}

function refresh() {
  if (document.hidden) timer = setTimeout(refresh, EVERY);
  else read();
}

function open() {
  const route = parse(location);
  if (view?.accepts?.(route)) view.change(route);
  else {
    view?.close?.();
    view = VIEWS[route.name](main, route, read);
    // What was shown before stays until the new view has its data.
    main.setAttribute("aria-busy", "true");
    if (document.activeElement !== document.body) main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  read();
}

addEventListener("hashchange", open);
document.addEventListener("visibilitychange", () => !document.hidden && read());
open();
