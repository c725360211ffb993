// Parses the time formats of logs digit by digit: no Date, no regular expression, independent of this machine's time
// zone. Anything unreadable is NaN. Internally, small integers with -1 for "none" keep V8 out of floating point.

const zero = 48;
const dayMs = 86_400_000;

/** `29/Aug/1995:23:53:25 -0400` at `at` (Apache %t without its brackets); UTC if there is no offset. */
export function commonTimeMs(text: string, at: number): number {
  if (text.charCodeAt(at + 2) !== 0x2f || text.charCodeAt(at + 6) !== 0x2f) return Number.NaN;
  const day = dayNumber(digits(text, at + 7, 4), monthNumber(text, at + 3), digits(text, at, 2));
  const time = text.charCodeAt(at + 11) === 0x3a ? clockMs(text, at + 12) : Number.NaN;
  return day * dayMs + time - offsetMs(text, at + 20);
}

/** `2024-01-31T23:53:25.123Z`, with a space instead of T, an offset instead of Z, or neither (UTC). */
export function isoTimeMs(text: string): number {
  return isoDateMs(text) + afterDateMs(text, 11);
}

/** `2024-01-31` at the start of `text`. */
export function isoDateMs(text: string): number {
  if (text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) return Number.NaN;
  return dayNumber(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)) * dayMs;
}

/** `23:53:25` or `23:53:25.123` from `at`, optionally followed by `Z` or an offset. */
export function afterDateMs(text: string, at: number): number {
  let end = at + 8;
  let fractionMs = 0;
  if (text.charCodeAt(end) === 0x2e || text.charCodeAt(end) === 0x2c) {
    let unit = 100;
    for (end++; isDigit(text.charCodeAt(end)); end++) {
      fractionMs += (text.charCodeAt(end) - zero) * unit;
      unit /= 10;
    }
  }
  return clockMs(text, at) + Math.floor(fractionMs) - offsetMs(text, end);
}

/** `23:53:25` at `at`, as ms since midnight. A leap second counts as the following second. */
export function clockMs(text: string, at: number): number {
  if (text.charCodeAt(at + 2) !== 0x3a || text.charCodeAt(at + 5) !== 0x3a) return Number.NaN;
  const hour = digits(text, at, 2);
  const minute = digits(text, at + 3, 2);
  const second = digits(text, at + 6, 2);
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN;
  if (hour < 0 || minute < 0 || second < 0) return Number.NaN;
  return (hour * 3600 + minute * 60 + second) * 1000;
}

/** `03/20/01 7:55:20`, month first; a year of two digits is from 1970 to 2069. */
export function usTimeMs(text: string): number {
  const found = /^(\d{1,2})\/(\d{1,2})\/(\d{2}|\d{4}),? (\d{1,2}:\d\d:\d\d)$/.exec(text);
  if (found === null) return Number.NaN;
  const [, month, day, year, clock = ''] = found;
  const full = Number(year) + (Number(year) >= 100 ? 0 : Number(year) < 70 ? 2000 : 1900);
  return dayNumber(full, Number(month), Number(day)) * dayMs + clockMs(clock.padStart(8, '0'), 0);
}

/** `867765237.123` seconds since the epoch, as in Squid, nginx ($msec) and Caddy. */
export function epochSecondsMs(text: string): number {
  if (!isDigit(text.charCodeAt(0)) || text.length > 24) return Number.NaN;
  return validTimeMs(Math.round(Number(text) * 1000));
}

/** Seconds, ms, µs or ns since the epoch, depending on the size of the number; seconds end in the year 5138. */
export function anyEpochMs(text: string): number {
  if (!isDigit(text.charCodeAt(0)) || text.length > 24) return Number.NaN;
  const value = Number(text);
  const perMs = value < 1e11 ? 1e-3 : value < 1e14 ? 1 : value < 1e17 ? 1e3 : 1e6;
  return validTimeMs(Math.round(value / perMs));
}

/** NaN outside the range of a Date (ECMA-262 21.4.1.1). */
export function validTimeMs(timeMs: number): number {
  return Math.abs(timeMs) <= 8.64e15 ? timeMs : Number.NaN;
}

/** `count` (at most 9) decimal digits at `at` as a number; -1 if any is not a digit. */
export function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let place = at; place < at + count; place++) {
    const digit = text.charCodeAt(place) - zero;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** The latest day number is cached, because most lines have the same day as the line before. */
let lastDate = -1;
let lastDayNumber = 0;

/** Days from 1970-01-01 to a day of the Gregorian calendar; NaN if there is no such month or day. */
export function dayNumber(year: number, month: number, day: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31 && year >= 0)) return Number.NaN;
  const date = (year * 16 + month) * 32 + day;
  if (date === lastDate) return lastDayNumber;
  lastDate = date;
  lastDayNumber = daysFromCivil(year, month, day);
  return lastDayNumber;
}

/** days_from_civil (Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2014). */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= 57;
}

/** ` -0400`, `+01:00`, `Z`, or nothing, as ms to subtract. */
function offsetMs(text: string, at: number): number {
  const sign = text.charCodeAt(text.charCodeAt(at) === 0x20 ? at + 1 : at);
  if (sign !== 0x2b && sign !== 0x2d) return 0;
  const hours = text.charCodeAt(at) === 0x20 ? at + 2 : at + 1;
  const minutes = text.charCodeAt(hours + 2) === 0x3a ? hours + 3 : hours + 2;
  const hour = digits(text, hours, 2);
  const minute = digits(text, minutes, 2);
  if (hour < 0 || minute < 0) return Number.NaN;
  const ms = (hour * 60 + minute) * 60_000;
  return sign === 0x2d ? -ms : ms;
}

const monthByLetters = new Map(
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map(
    (name, index) => [letters(name, 0), index + 1],
  ),
);

function monthNumber(text: string, at: number): number {
  return monthByLetters.get(letters(text, at)) ?? -1;
}

/** Three characters as one number; setting bit 5 makes letters lower case. */
function letters(text: string, at: number): number {
  const code = (place: number) => (text.charCodeAt(place) | 0x20) & 0xff;
  return (code(at) << 16) | (code(at + 1) << 8) | code(at + 2);
}
