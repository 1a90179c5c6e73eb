// Elements. Values of reports become text nodes and attributes, never markup.

/** An element with attributes, listeners (`onclick`), custom properties (`style: {"--x": 1}`) and children. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const shown = new WeakMap();

/**
 * Shows what `build` makes of `data` in `place`, unless it shows just that, or a person is selecting text there.
 * An element with the focus keeps it if the new one has the same `data-focus`.
 */
export function fill(place, data, build) {
  const key = JSON.stringify(data);
  if (shown.get(place) === key) return;
  const selection = getSelection();
  if (shown.has(place) && !selection.isCollapsed && place.contains(selection.anchorNode)) return;
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  place.replaceChildren(...[build(data)].flat(2).filter(Boolean));
  shown.set(place, key);
  if (focused === undefined) return;
  place.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

const MANY = 5;

/**
 * A table with a caption for readers; a column is `{title, cell(row), number?, wraps?, order?}`. What `below` gives for
 * a row stands under it, as wide as the table.
 */
export function table(caption, columns, rows, below = () => null) {
  const kind = (column) => (column.number ? "number" : column.wraps ? "wraps" : null);
  const under = (row) => {
    const content = below(row);
    return content && h("tr", { class: "below" }, h("td", { colspan: columns.length }, content));
  };
  return h(
    "div",
    {
      class: columns.length > MANY ? "scroll many" : "scroll",
      tabindex: "0",
      role: "region",
      "aria-label": caption,
    },
    h(
      "table",
      {},
      h("caption", { class: "hidden" }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((column) =>
            h("th", { scope: "col", class: kind(column), "aria-sort": column.order }, column.head ?? column.title),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.flatMap((row) => [
          h(
            "tr",
            {},
            columns.map((column) =>
              h("td", { class: kind(column), "data-title": column.title }, column.cell(row) ?? ""),
            ),
          ),
          under(row),
        ]),
      ),
    ),
  );
}

export const empty = (...text) => h("p", { class: "empty" }, ...text);

/** A word of a state with its colour. */
export const badge = (word, kind = word) => h("span", { class: `badge ${CSS.escape(String(kind))}` }, word);
