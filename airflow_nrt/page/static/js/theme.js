// The theme: Airflow's, which its own pages keep under this name in the storage of the origin; else the system's.

const KEY = "theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();
let known = new Map();

function chosen() {
  let theme = null;
  try {
    theme = localStorage.getItem(KEY);
  } catch {
    /* storage may be closed to a frame */
  }
  if (theme === "light" || theme === "dark") return theme;
  return system.matches ? "dark" : "light";
}

function apply() {
  const theme = chosen();
  if (document.documentElement.dataset.theme === theme) return;
  document.documentElement.dataset.theme = theme;
  known = new Map();
  for (const listener of listeners) listener();
}

/** The value of a custom property of the theme, for drawings on a canvas. */
export function color(name) {
  if (!known.has(name)) {
    known.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  }
  return known.get(name);
}

/** Calls `listener` after each change of the theme; returns the function that ends that. */
export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

apply();
system.addEventListener("change", apply);
addEventListener("storage", (event) => event.key === KEY && apply());
