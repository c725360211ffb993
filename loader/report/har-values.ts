// Converts network data into values that the HAR 1.2 schema accepts: URIs (RFC 3986, stricter than the WHATWG URLs
// of a page), date-times (RFC 3339), IP addresses, cookies. The output is valid for any input; an address, a cookie or
// a date that the schema cannot express is left out.

import { isIP } from 'node:net';
import { Cookie } from 'tough-cookie';
import { fieldLines, type HeaderPair } from '../../http/header-pairs.ts';

/** Returns `url` without fragment, percent-encoding what RFC 3986 forbids; other text becomes a URI of `invalid:`. */
export function toUri(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return `invalid:/${encodeURIComponent(url.toWellFormed())}`;
  parsed.hash = '';
  const [, head = '', rest = ''] =
    /^([a-z][a-z\d+.-]*:(?:\/\/[^/?#]*)?)(.*)$/is.exec(parsed.href) ?? [];
  return (
    encodeForbidden(head, /[^\w.~:/?@!$&'()*+,;=%[\]-]|%(?![\da-f]{2})/giu) +
    encodeForbidden(rest, /[^\w.~:/?@!$&'()*+,;=%-]|%(?![\da-f]{2})/giu)
  );
}

/**
 * Formats `epochMs` in UTC with microseconds: a whole page load may take 10 ms, so rounding to milliseconds would
 * visibly shift the rows of a waterfall.
 */
export function toDateTime(epochMs: number): string {
  const microseconds = Math.round(epochMs * 1000);
  const wholeMs = Math.floor(microseconds / 1000);
  const below = String(microseconds - wholeMs * 1000).padStart(3, '0');
  return new Date(wholeMs).toISOString().replace('Z', `${below}Z`);
}

/** Returns the IPv4 or IPv6 address without zone; null if `address` is not one. */
export function toIpAddress(address: string | null): string | null {
  const bare = address?.replace(/%.*$/s, '') ?? '';
  return isIP(bare) === 0 ? null : bare;
}

export function requestCookies(headers: HeaderPair[]) {
  return fieldLines(headers, 'cookie')
    .flatMap((value) => value.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return { name: pair.slice(0, Math.max(0, equals)), value: pair.slice(equals + 1) };
    });
}

/** Returns the cookies of all `Set-Cookie` lines that parse (RFC 6265 5.2). */
export function responseCookies(headers: HeaderPair[]) {
  return fieldLines(headers, 'set-cookie').flatMap((value) => {
    const cookie = Cookie.parse(value, { loose: true });
    if (cookie === undefined) return [];
    const expires = cookie.expires instanceof Date ? dateOrNull(cookie.expires) : null;
    return {
      name: cookie.key,
      value: cookie.value,
      ...(cookie.path !== null && { path: cookie.path }),
      ...(cookie.domain !== null && { domain: cookie.domain }),
      ...(expires !== null && { expires }),
      httpOnly: cookie.httpOnly,
      secure: cookie.secure,
    };
  });
}

/** Returns the date as text; null for a year that RFC 3339 lacks: it has 0000 to 9999 only. */
function dateOrNull(date: Date): string | null {
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString() : null;
}

function encodeForbidden(text: string, forbidden: RegExp): string {
  return text.replace(forbidden, (character) => encodeURIComponent(character));
}
