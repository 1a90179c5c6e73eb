// States of reports and windows: their order and colours.

const KINDS = {
  failed: "bad",
  fenced: "bad",
  lost: "bad",
  unreachable: "bad",
  silent: "bad",
  restarting: "warn",
  starting: "warn",
  stopping: "warn",
  running: "good",
  finished: "idle",
  stopped: "idle",
  none: "idle",
};
const ORDER = Object.keys(KINDS);

/** Which colour a report's state has: `good`, `warn`, `bad` or `idle`. */
export const kindOf = (state) => KINDS[state] ?? "idle";

/** States that need attention come first. */
export const rank = (state) => (ORDER.includes(state) ? ORDER.indexOf(state) : ORDER.length);

export const WINDOW_STATES = {
  early: "early: not complete yet",
  complete: "complete",
  "late-updated": "restated with late rows",
  backfilled: "restated by a backfill",
  repaired: "restated by a repair",
  "set-by-hand": "set by hand to an older version",
  mismatch: "mismatch: the verifier finds other rows",
};
