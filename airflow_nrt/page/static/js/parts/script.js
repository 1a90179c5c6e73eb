// The report's script; its secrets are placeholders.

import { h } from "../dom.js";

const TOKEN = /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*')|\b([A-Z][A-Z_]+)\b(?!\s*\.)/g;

export function script(sql, isCut) {
  if (!sql) return [];
  return h(
    "details",
    {},
    h("summary", {}, "Script"),
    h("pre", { class: "code", tabindex: "0" }, marked(sql), isCut ? "\n… cut here" : null),
  );
}

/** Comments, texts and words in capitals get a colour; all is text. */
function marked(sql) {
  const nodes = [];
  let done = 0;
  for (const match of sql.matchAll(TOKEN)) {
    const kind = match[1] ? "comment" : match[2] ? "text" : "word";
    nodes.push(sql.slice(done, match.index), h("span", { class: kind }, match[0]));
    done = match.index + match[0].length;
  }
  return [...nodes, sql.slice(done)];
}
