// Time zones of reports, as browsers know them.

const OFFSET = /^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::(\d\d))?$/;

/** The browser's name of a zone of Flink: `-04:00` of `GMT-4`, `UTC` of one that it does not know. */
export function timeZone(zone) {
  const [, sign, hours, minutes = "00"] = OFFSET.exec(zone ?? "") ?? [];
  const name = sign ? `${sign}${hours.padStart(2, "0")}:${minutes}` : (zone ?? "UTC");
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}
