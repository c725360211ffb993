// The header fields to send: the caller's, then those of the options for the requested origin, then the defaults.
// The transport adds Host and framing fields.

import { type HeaderPair, hasField, withoutFields } from '../../http/header-pairs.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { ResolvedOptions } from '../options.ts';
import { connectionFields } from '../request/extra-headers.ts';
import { acceptEncoding } from '../response/content-coding.ts';
import type { FetchRequest } from './fetch-request.ts';

/** A request with its own conditions wants the server's answer (Fetch Standard, 4.6, step 14). */
const conditions = [
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
];

/** The effective cache mode of a request. */
export function cacheModeOf({ cache, headers }: FetchRequest): CacheMode {
  const own = conditions.some((name) => hasField(headers, name));
  return cache === 'default' && own ? 'no-store' : cache;
}

/** @param cookie Value of the Cookie field; '' for none. */
export function requestFields(
  request: FetchRequest,
  mode: CacheMode,
  cookie: string,
  options: ResolvedOptions,
): HeaderPair[] {
  const own = withoutFields(request.headers, connectionFields);
  const fields = [...own];
  const add = (pairs: HeaderPair[]): void => {
    fields.push(...pairs.filter(([name, value]) => value !== '' && !hasField(fields, name)));
  };
  if (request.url.origin === request.askedOrigin) add(options.extraHeaders);
  const ranged = hasField(own, 'range');
  add([
    ['cookie', cookie],
    ['user-agent', options.userAgent],
    ['accept', '*/*'],
    // A range of coded bytes cannot be decoded.
    ['accept-encoding', ranged ? 'identity' : acceptEncoding],
  ]);
  // Other caches on the path get the meaning of the mode (Fetch Standard, 4.6, steps 15 and 16).
  const told = hasField(fields, 'cache-control');
  if (mode === 'no-cache' && !told) add([['cache-control', 'max-age=0']]);
  if (mode === 'no-store' || mode === 'reload') {
    add([
      ['pragma', 'no-cache'],
      ['cache-control', 'no-cache'],
    ]);
  }
  return fields;
}
