// Determines the target of a redirect, or the reason not to follow it (RFC 9110 15.4, 10.2.2).

import { type HeaderPair, soleValue } from '../../http/header-pairs.ts';
import { LoaderError } from '../errors.ts';
import type { ResourceRecord } from '../page-load.ts';

/** Whether a GET follows responses with this status automatically. */
export function isRedirectStatus(status: number | null): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/**
 * Returns the Location of a redirect; '' if it has none.
 * @throws LoaderError `invalid-redirect` if it has several that differ.
 */
export function locationOf(headers: readonly HeaderPair[]): string {
  const location = soleValue(headers, 'location');
  if (location !== null) return location;
  const message = 'a redirect with 2 different Location fields or more, none of which is followed';
  throw new LoaderError('invalid-redirect', message);
}

/**
 * Returns the URL that a redirect leads to.
 * @param location As `locationOf` returns it; not ''.
 * @param limits.hops Number of redirects so far, including this one.
 * @param limits.answered URLs that have redirected here, and would again, as no cookie was stored since.
 * @throws LoaderError `invalid-redirect`, `unsupported-scheme`, `redirect-loop`, `too-many-redirects`
 */
export function redirectTarget(
  location: string,
  row: Pick<ResourceRecord, 'url' | 'status'>,
  limits: { hops: number; maxRedirects: number; answered: readonly string[] },
): URL {
  const target = parseLocation(location, row);
  if (limits.answered.includes(target.href)) {
    throw new LoaderError('redirect-loop', `${row.status} back to ${target.href}`);
  }
  if (limits.hops > limits.maxRedirects) {
    throw new LoaderError('too-many-redirects', `more than ${limits.maxRedirects} redirects`);
  }
  return target;
}

/**
 * Returns the absolute URL that a Location names.
 * @param from The redirecting response.
 * @throws LoaderError `invalid-redirect`, `unsupported-scheme`
 */
export function parseLocation(location: string, from: Pick<ResourceRecord, 'url' | 'status'>): URL {
  const shown = JSON.stringify(location.slice(0, 200));
  // As in browsers, non-ASCII bytes are percent-encoded as they are; the URL parser would read them as characters.
  const written = location.replace(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (!URL.canParse(written, from.url)) {
    throw new LoaderError('invalid-redirect', `${from.status} to ${shown}, which is not a URL`);
  }
  const target = new URL(written, from.url);
  target.hash = '';
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    throw new LoaderError(
      'unsupported-scheme',
      `${from.status} to ${shown}: only http and https are fetched`,
    );
  }
  target.username = target.password = '';
  return target;
}
