// Formats numbers, times and URLs.

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

export const none = '–';

export function count(value) {
  return whole.format(Math.round(value));
}

/** Formats a number: up to 9,999 exactly, a larger one as 12.3K. */
export function compact(value) {
  return value < 10_000 ? count(value) : short.format(value);
}

/** Formats a ratio: 0.1234 as 12.3 %. */
export function percent(ratio, digits = 1) {
  return Number.isFinite(ratio) ? `${(ratio * 100).toFixed(digits)} %` : none;
}

export function duration(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export function timeOfDay(ms) {
  return clock.format(ms);
}

/**
 * Decodes escapes that yield plain letters: no invisible characters, none that change text direction. A URL of another
 * host loses `http://`, so it begins with the host.
 */
export function readable(url) {
  const text = url.replace(/^https?:\/\//, '');
  try {
    const decoded = decodeURI(text);
    return /[\p{C}\p{Z}]/u.test(decoded.replaceAll(' ', '')) ? text : decoded;
  } catch {
    return text;
  }
}

/** Returns at most `most` characters of a URL, from both ends, because the end of a path is the most specific; the name
 *  of another host stays whole if there is room. */
export function shortened(text, most) {
  const characters = [...text];
  if (characters.length <= most) return text;
  const host = text.startsWith('/') ? 0 : text.indexOf('/') + 1;
  const share = host > 0 && host < most - 8 ? host : Math.floor((most - 1) * 0.35);
  const head = Math.max(1, share);
  const tail = Math.max(1, most - 1 - head);
  return `${characters.slice(0, head).join('')}…${characters.slice(-tail).join('')}`;
}

/** Returns the number of visitors in words; `clients` 6 means six or more. */
export function visitors(clients) {
  if (clients === null) return '';
  return clients >= 6 ? '6+ visitors' : `${clients} visitor${clients === 1 ? '' : 's'}`;
}
