// Times as people read them, in the browser's language and zone.

const clockOf = (more = {}) => new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...more });
const CLOCK = clockOf();
const SECONDS = clockOf({ second: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const FULL = clockOf({ day: "numeric", month: "short", year: "numeric" });

/** Hours and minutes of a moment (seconds since the epoch). */
export const clock = (seconds) => CLOCK.format(seconds * 1000);
/** Hours, minutes and seconds. */
export const clockSeconds = (seconds) => SECONDS.format(seconds * 1000);
/** A moment in a sentence: "today" or the day, and the time. */
export function moment(seconds) {
  const date = new Date(seconds * 1000);
  const today = date.toDateString() === new Date().toDateString();
  return `${today ? "today" : DAY.format(date)}, ${CLOCK.format(date)}`;
}
/** Day and time. */
export const full = (seconds) => FULL.format(seconds * 1000);

/** How big a file is. */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
