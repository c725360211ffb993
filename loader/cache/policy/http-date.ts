// Parses HTTP-date (RFC 9110 5.6.7) in its three forms, in any letter case, GMT only. Anything else is invalid, which
// for Expires means the past (RFC 9111 5.3); `Date.parse` would read "0" as the year 2000.

const month = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const shortDay = '(?:mon|tue|wed|thu|fri|sat|sun)';
const longDay = '(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)';
const time = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';
const forms = [
  new RegExp(`^${shortDay}, (?<day>\\d\\d) (?<month>${month}) (?<year>\\d{4}) ${time} gmt$`, 'i'),
  new RegExp(`^${longDay}, (?<day>\\d\\d)-(?<month>${month})-(?<year>\\d\\d) ${time} gmt$`, 'i'),
  new RegExp(`^${shortDay} (?<month>${month}) (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`, 'i'),
];
const longestForm = 'Wednesday, 09-Nov-94 08:49:37 GMT'.length;

/**
 * Parses an HTTP-date.
 * @param nowMs Determines the century of a two-digit year: the year is at most 50 years ahead of this time.
 * @returns ms since the epoch; null if the text is not an HTTP-date.
 */
export function parseHttpDate(text: string, nowMs: number): number | null {
  if (text.length > longestForm) return null;
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return toMs(parts, nowMs);
  }
  return null;
}

function toMs(parts: Record<string, string>, nowMs: number): number | null {
  const of = (name: string): number => Number(parts[name]);
  const year = parts.year?.length === 2 ? withCentury(of('year'), nowMs) : of('year');
  const monthIndex = month.split('|').indexOf((parts.month ?? '').toLowerCase());
  const midnight = Date.UTC(year, monthIndex, of('day'));
  const date = new Date(midnight);
  if (date.getUTCFullYear() !== year || date.getUTCDate() !== of('day')) return null;
  if (of('hour') > 23 || of('minute') > 59 || of('second') > 60) return null;
  return midnight + ((of('hour') * 60 + of('minute')) * 60 + of('second')) * 1000;
}

function withCentury(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
