// The tail of the driver's log, read while it is open.

import { get } from "../api.js";
import { h } from "../dom.js";
import { sentence } from "../format.js";

export function log(id) {
  const text = h("pre", { class: "code log", tabindex: "0" });
  const root = h("details", { ontoggle: () => refresh() }, h("summary", {}, "Driver log, the last lines"), text);

  async function refresh() {
    if (!root.open) return;
    const atEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 4;
    try {
      const { lines, path } = await get(["reports", id, "log"]);
      const next = lines.length ? lines.join("\n") : `There is nothing in ${path ?? "the log"} yet.`;
      if (text.textContent !== next) text.textContent = next;
    } catch (error) {
      text.textContent = sentence(error.message);
    }
    if (atEnd) text.scrollTop = text.scrollHeight;
  }

  return { root, refresh };
}
