// Reads times and durations as logs write them, independent of this machine's time zone. The result is undefined if the
// text is no time or no duration.

const clock = String.raw`(?<minute>\d\d):00(?:[.,](?<fraction>\d{1,12}))?`;
const zone = String.raw`(?: ?(?<zone>Z|UTC|[+-]\d\d:?\d\d))?(?: UTC)?`;

const shapes: readonly RegExp[] = [
  // This pattern matches times such as 29/Aug/1995:23:53:25 -0400, in brackets or without.
  String.raw`^\[?(?<day>\d\d)\/(?<name>[A-Z][a-z]{2})\/(?<year>\d{4}):(?<hour>\d\d):${clock}${zone}\]?$`,
  // This pattern matches times such as 2024-01-31T23:53:25.123Z.
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ](?<hour>\d\d):${clock}${zone}$`,
  // This pattern matches times such as 03/20/01 7:55:20, with the month first.
  String.raw`^(?<month>\d\d?)\/(?<day>\d\d?)\/(?<year>\d\d|\d{4}),? (?<hour>\d\d?):${clock}$`,
].map((shape) => new RegExp(shape));

const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const longestTime = 64;

/** Milliseconds by the two digits of a second; a leap second counts as the following second. */
const msOfSecond = new Map(
  Array.from({ length: 61 }, (_, second) => [String(second).padStart(2, '0'), second * 1000]),
);

/** The time read last, without its second: log lines are in order, so most are of the same minute as the one before. */
let latest: { before: string; after: string; ms: number | undefined } | undefined;

/** Reads a time as ms since the epoch; it is UTC if no zone is named. @param unitMs ms per unit of a time that is a
 *  number; absent: the size of the number tells the unit */
export function timeOf(text: string, unitMs?: number): number | undefined {
  if (text.length > longestTime) return undefined;
  let at = '[29/Aug/1995:23:53:'.length;
  while (at > 0 && text[at - 1] !== ':') at--;
  if (unitMs !== undefined || (at === 0 && /^\d[\d.]*$/.test(text))) return epochMs(text, unitMs);
  const before = text.slice(0, at);
  const after = text.slice(at + 2);
  if (latest?.before !== before || latest.after !== after) {
    latest = { before, after, ms: minuteOf(`${before}00${after}`) };
  }
  const second = msOfSecond.get(text.slice(at, at + 2));
  return latest.ms === undefined || second === undefined ? undefined : latest.ms + second;
}

type TimePart = 'day' | 'month' | 'name' | 'year' | 'hour' | 'minute' | 'fraction' | 'zone';

/** Reads a time whose second is 00. */
function minuteOf(text: string): number | undefined {
  const groups: Partial<Record<TimePart, string>> | undefined = shapes
    .map((shape) => shape.exec(text)?.groups)
    .find((found) => found !== undefined);
  if (groups === undefined) return undefined;
  const { name, year = '', fraction = '', zone: written = '' } = groups;
  const month = name === undefined ? Number(groups.month) : months.indexOf(name) / 3 + 1;
  const day = Number(groups.day);
  const hour = Number(groups.hour);
  const minute = Number(groups.minute);
  const isDay = Number.isInteger(month) && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  if (!isDay || hour > 23 || minute > 59) return undefined;
  // A year of two digits is from 1970 to 2069.
  const century = year.length > 2 ? 0 : Number(year) < 70 ? 2000 : 1900;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return Date.UTC(Number(year) + century, month - 1, day, hour, minute, 0, ms) - offsetMs(written);
}

/** Returns the offset from UTC, ms, of a zone such as `-0400`, `+01:00` or `Z`. */
function offsetMs(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0;
  const ms = (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))) * 60_000;
  return zone.startsWith('-') ? -ms : ms;
}

/** Reads a number of seconds, ms, µs or ns since the epoch as a time. Without `unitMs`, the number's size tells the
 *  unit; one of seconds is before the year 5138. */
function epochMs(text: string, unitMs: number | undefined): number | undefined {
  const value = Number(text);
  if (!/^\d/.test(text) || Number.isNaN(value)) return undefined;
  const bySize = value < 1e11 ? 1000 : value < 1e14 ? 1 : value < 1e17 ? 1e-3 : 1e-6;
  const timeMs = Math.round(value * (unitMs ?? bySize));
  return timeMs <= latestMs ? timeMs : undefined;
}

/** Latest time that a Date can hold, ms since the epoch (ECMA-262 21.4.1.1). */
const latestMs = 8.64e15;

/**
 * Reads a duration as ms: `0.004` in units of `unitMs`, or in Go's format, `1m2.5s`, `4.2ms`; several with spaces
 * between are added up. The result is also undefined if it is implausible: negative (AWS writes -1 for what was not
 * forwarded) or above a day.
 */
export function durationOf(text: string, unitMs: number): number | undefined {
  let ms = 0;
  for (const part of text.slice(0, longestTime).split(' ')) {
    const isNumber = /^\d{1,15}(?:\.\d{1,15})?(?:e-\d{1,2})?$/i.test(part);
    ms += isNumber ? Number(part) * unitMs : goMs(part);
  }
  // The result is rounded to nanoseconds, so that 0.0009 s is 0.9 ms.
  return ms <= 86_400_000 ? Math.round(ms * 1e6) / 1e6 : undefined;
}

function goMs(text: string): number {
  if (!/^(?:\d{1,15}(?:\.\d{1,15})?(?:h|ms|m|s|[uµμ]s|ns))+$/.test(text)) return Number.NaN;
  let ms = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([\d.]+)(h|ms|m|s|[uµμ]s|ns)/g)) {
    ms += Number(amount) * (msOfUnit[unit] ?? 1e-3);
  }
  return ms;
}

const msOfUnit: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, ns: 1e-6 };
