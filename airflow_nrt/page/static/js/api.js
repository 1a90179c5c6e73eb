// The server. Addresses are relative to the page, so that it works below any base path of Airflow.

const root = new URL(".", document.baseURI);

export class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function answer(path, options) {
  let response;
  try {
    response = await fetch(new URL(`api/${path}`, root), { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(0, "Airflow's api-server does not answer.");
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  if (response.status === 401)
    throw new ServerError(401, "You are signed out. Sign in to Airflow, then load this page again.");
  const detail = typeof body.detail === "string" ? body.detail : `The server answered ${response.status}.`;
  throw new ServerError(response.status, detail);
}

/** A path from its parts, each of them escaped. */
const path = (...parts) => parts.map(encodeURIComponent).join("/");

function withQuery(address, query) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== null && one !== undefined && one !== "") words.append(name, one);
  }
  const text = words.toString();
  return text ? `${address}?${text}` : address;
}

/** `get(["reports", id, "curve"], {day}, signal)`. Raises ServerError. */
export const get = (parts, query = {}, signal = undefined) => answer(withQuery(path(...parts), query), { signal });

/** A change: JSON and a header that no form of a foreign page can send. Raises ServerError. */
export function post(parts, body) {
  return answer(path(...parts), {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-NRT-Action": "1" },
    body: JSON.stringify(body),
  });
}

/** The address of one of Airflow's own pages, or null if it would lead elsewhere. */
export function airflowUrl(relative) {
  const airflow = new URL("..", root);
  const url = new URL(String(relative).replace(/^\/+/, ""), airflow);
  return url.origin === airflow.origin && url.protocol.startsWith("http") ? url.href : null;
}

export const dagUrl = (dag) => airflowUrl(path("dags", dag));
