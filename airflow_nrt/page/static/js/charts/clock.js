// The axis of time: minutes of a day on the report's clock, whatever zone that has.

import { timeZone } from "../zones.js";

const MINUTE = 60_000;
const DAY = 1440;

/** Minutes from the start of `day` to a time of the report's clock (ISO without offset). */
export const minuteOf = (text, day) => (Date.parse(`${text}Z`) - Date.parse(`${day}T00:00Z`)) / MINUTE;

/** The wall clock of a zone at an instant (ms), as if it were UTC. */
export function wallClock(ms, zone) {
  const parts = Object.fromEntries(
    format(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) + (ms % 1000);
}

/** The days of UTC that a day of a zone lies in. */
export function utcDays(day, zone) {
  const noon = Date.parse(`${day}T12:00Z`);
  const start = Date.parse(`${day}T00:00Z`) - (wallClock(noon, zone) - noon);
  return [...new Set([start, start + DAY * MINUTE - 1].map((ms) => new Date(ms).toISOString().slice(0, 10)))];
}

/** `14:20` of minutes of a day; `24:00` is its end. */
export function timeOf(minutes) {
  const whole = Math.round(minutes);
  return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * Where batches and events stand on the axis of `day`: at the time when they ran, if the report ran on that day; else,
 * as where old files are read again, at the watermark of the batch, or of the batch before an event.
 */
export function placed({ batches, events }, day, zone) {
  const onClock = (at) => (wallClock(Date.parse(at), zone) - Date.parse(`${day}T00:00Z`)) / MINUTE;
  const ran = batches.map((batch) => ({ ...batch, minute: onClock(batch.at) })).filter(inDay);
  const ofDay = events.map((event) => ({ ...event, minute: onClock(event.at) })).filter(inDay);
  if (ran.length) return { batches: ran, events: ofDay, by: "time" };
  const read = batches
    .filter((batch) => batch.watermark)
    .map((batch) => ({ ...batch, minute: minuteOf(batch.watermark, day) }));
  const before = (at) => read.filter((batch) => batch.at <= at).at(-1)?.minute ?? 0;
  const marked = ofDay.length
    ? ofDay
    : events.map((event) => ({ ...event, minute: Math.min(DAY, Math.max(0, before(event.at))) }));
  return { batches: read.filter(inDay), events: read.some(inDay) ? marked : ofDay, by: "watermark" };
}

const inDay = ({ minute }) => minute >= 0 && minute <= DAY;

const formats = new Map();

function format(zone) {
  if (!formats.has(zone)) {
    const fields = {
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    };
    formats.set(zone, new Intl.DateTimeFormat("en-GB", { ...fields, hourCycle: "h23", timeZone: timeZone(zone) }));
  }
  return formats.get(zone);
}
