// Links out of the frame in which Airflow shows this page.

import { h } from "../dom.js";

/** A link to a page of Airflow. A frame may not steer the window around it, so the outer document follows the link. */
export function leaveTo(url, text) {
  if (url === null) return text;
  return h("a", { href: url, onclick: (event) => follow(event, url) }, text);
}

function follow(event, url) {
  if (parent === window || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const outer = parent.document;
  const link = Object.assign(outer.createElement("a"), { href: url });
  outer.body.append(link);
  link.click();
  link.remove();
}
