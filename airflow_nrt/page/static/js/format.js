// Numbers and times for a person.

import { timeZone } from "./zones.js";

const whole = new Intl.NumberFormat("en");
const decimal = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const zoned = new Map();
const MOST_DIGITS = 20; // that all browsers take
const scaled = new Map([[null, decimal]]);

function ofScale(scale) {
  if (!scaled.has(scale)) {
    const digits = Math.min(scale, MOST_DIGITS);
    scaled.set(scale, new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  }
  return scaled.get(scale);
}

export const missing = "–";
export const known = (value) => value !== null && value !== undefined;

export const count = (value) => (known(value) ? whole.format(value) : missing);
/** With the `scale` of a DECIMAL all of its digits: `12.50`. */
export const number = (value, scale = null) => (known(value) ? ofScale(scale).format(value) : missing);
export const compact = (value) => (known(value) ? short.format(value) : missing);
export const rate = (value) => (known(value) ? `${short.format(value)}/s` : missing);

/** Seconds in the two largest units: `42 s`, `3 min`, `2 h 05 min`, `3 d 4 h`. */
export function duration(seconds) {
  if (!known(seconds)) return missing;
  if (seconds < 0) return `−${duration(-seconds)}`;
  if (seconds < 10) return `${seconds < 1 ? decimal.format(seconds) : Math.round(seconds * 10) / 10} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How much one value is above another: `+4.0 %`. */
export function change(value, base) {
  if (!known(value) || !known(base) || base === 0) return "";
  const percent = ((value - base) / Math.abs(base)) * 100;
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`;
}

function formatter(zone, options) {
  const key = `${zone} ${Object.keys(options)}`;
  if (!zoned.has(key)) {
    zoned.set(key, new Intl.DateTimeFormat("en-GB", { hourCycle: "h23", ...options, timeZone: timeZone(zone) }));
  }
  return zoned.get(key);
}

const DAY = { year: "numeric", month: "2-digit", day: "2-digit" };

/** `2026-11-26` of an instant (ms) in a zone. */
export const dayOf = (ms, zone) => formatter(zone, DAY).format(ms).split("/").reverse().join("-");

/** `2026-11-26 14:20:03` of an ISO instant in a zone. */
export function moment(text, zone) {
  const ms = Date.parse(text);
  if (!text || Number.isNaN(ms)) return text ? String(text) : missing;
  const time = formatter(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(ms);
  return `${dayOf(ms, zone)} ${time}`;
}

/** Local text of a window's bound, `2026-11-26T14:20:00`, as `2026-11-26 14:20`. */
export const bound = (text) =>
  text
    ? String(text)
        .replace("T", " ")
        .replace(/:00(\.0+)?$/, "")
    : missing;

/** A text of the server as a sentence. */
export const sentence = (text) =>
  text ? `${text[0].toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}` : "";

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
