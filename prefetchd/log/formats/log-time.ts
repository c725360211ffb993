// Reads times and durations as logs write them, independent of this machine's time zone. The result is undefined if the
// text is no time or no duration.

const clock = String.raw`(?<minute>\d\d):(?<second>\d\d)(?:[.,](?<fraction>\d{1,12}))?`;
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

/** Reads a time as ms since the epoch; it is UTC if no zone is named. @param unitMs unit of a number; absent: its size
 *  decides */
export function timeOf(text: string, unitMs?: number): number | undefined {
  if (text.length > longestTime) return undefined;
  if (unitMs !== undefined || /^\d[\d.]*$/.test(text)) return epochMs(text, unitMs);
  for (const shape of shapes) {
    const { groups } = shape.exec(text) ?? {};
    if (groups !== undefined) return timeOfGroups(groups);
  }
  return undefined;
}

type TimePart =
  | 'day'
  | 'month'
  | 'name'
  | 'year'
  | 'hour'
  | 'minute'
  | 'second'
  | 'fraction'
  | 'zone';

function timeOfGroups(groups: Partial<Record<TimePart, string>>): number | undefined {
  const { name, fraction = '', zone: written = '' } = groups;
  const month = name === undefined ? Number(groups.month) : months.indexOf(name) / 3 + 1;
  const day = Number(groups.day);
  const hour = Number(groups.hour);
  const minute = Number(groups.minute);
  const second = Number(groups.second);
  const isDay = Number.isInteger(month) && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  // A leap second counts as the following second.
  if (!isDay || hour > 23 || minute > 59 || second > 60) return undefined;
  const year = fullYear(groups.year ?? '');
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return Date.UTC(year, month - 1, day, hour, minute, second, ms) - offsetMs(written);
}

/** Returns the year that a text stands for; one of two digits is from 1970 to 2069. */
function fullYear(text: string): number {
  const year = Number(text);
  return text.length > 2 ? year : year + (year < 70 ? 2000 : 1900);
}

/** Returns the offset from UTC, ms, of a zone such as `-0400`, `+01:00` or `Z`. */
function offsetMs(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0;
  const ms = (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))) * 60_000;
  return zone.startsWith('-') ? -ms : ms;
}

/** Reads a number of seconds, ms, µs or ns since the epoch as a time. Without `unitMs` the size of the number tells the
 *  unit; a number of seconds is at most in the year 5138. */
function epochMs(text: string, unitMs: number | undefined): number | undefined {
  const value = Number(text);
  if (!/^\d/.test(text) || Number.isNaN(value)) return undefined;
  const bySize = value < 1e11 ? 1000 : value < 1e14 ? 1 : value < 1e17 ? 1e-3 : 1e-6;
  const timeMs = Math.round(value * (unitMs ?? bySize));
  return timeMs <= latestMs ? timeMs : undefined;
}

/** Latest time that a Date can hold, ms since the epoch (ECMA-262 21.4.1.1). */
const latestMs = 8.64e15;

const dayMs = 86_400_000;

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
  return ms <= dayMs ? Math.round(ms * 1e6) / 1e6 : undefined;
}

function goMs(text: string): number {
  if (!/^(?:\d{1,15}(?:\.\d{1,15})?(?:h|ms|m|s|[uµμ]s|ns))+$/.test(text)) return Number.NaN;
  let ms = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([\d.]+)(h|ms|m|s|[uµμ]s|ns)/g)) {
    ms += Number(amount) * (msOfUnit[unit] ?? 1e-3);
  }
  return ms;
}

const msOfUnit: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  ns: 1e-6,
};
