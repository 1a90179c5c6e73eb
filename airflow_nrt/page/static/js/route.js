// The address of a view: `#/`, `#/report/ID?day=…`, `#/report/ID/window/END?insert=…`.

export function parse({ hash, search }) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [kind, id, part, end] = path.split("/").map(decode);
  const words = new URLSearchParams(query);
  const dag = new URLSearchParams(search).get("dag_id");
  if (kind === "report" && id && part === "window" && end)
    return { name: "window", id, end, insert: words.get("insert") };
  if (kind === "report" && id) return { name: "report", id, choice: choiceOf(words) };
  return { name: "reports", dag };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** The chosen view of a report; it is in the address, so that it can be sent to others. */
function choiceOf(words) {
  return {
    insert: words.get("insert"),
    measure: words.get("measure"),
    day: words.get("day"),
    keys: words.getAll("key"),
  };
}

export function reportUrl(id, choice = {}) {
  const words = new URLSearchParams();
  for (const name of ["insert", "measure", "day"]) if (choice[name]) words.set(name, choice[name]);
  for (const key of choice.keys ?? []) words.append("key", key);
  const query = words.toString();
  return `#/report/${encodeURIComponent(id)}${query && `?${query}`}`;
}

export const windowUrl = (id, insert, end) =>
  `#/report/${encodeURIComponent(id)}/window/${encodeURIComponent(end)}?${new URLSearchParams({ insert })}`;
