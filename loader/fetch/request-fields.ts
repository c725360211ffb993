// The fields of a request as they go on the wire: the caller's own, then those of the options for the
// origin that was asked, then the defaults. (Host and framing are set by the transport.)

import { type HeaderPair, hasField, withoutFields } from '../../http/header-pairs.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { ResolvedOptions } from '../options.ts';
import { connectionFields } from '../request/extra-headers.ts';
import { acceptEncoding } from '../response/content-coding.ts';
import type { FetchRequest } from './fetch-request.ts';

/** A request that asks its own conditions wants the server's answer (Fetch Standard, 4.6, step 14). */
const conditions = [
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
];

/** The cache mode a request has in the end. */
export function cacheModeOf({ cache, headers }: FetchRequest): CacheMode {
  const own = conditions.some((name) => hasField(headers, name));
  return cache === 'default' && own ? 'no-store' : cache;
}

/** @param cookie value of the Cookie field; '' for none. */
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
    // Bytes of a coded form cannot be decoded from their middle.
    ['accept-encoding', ranged ? 'identity' : acceptEncoding],
  ]);
  // Caches on the way are told what the mode means (Fetch Standard, 4.6, steps 15 and 16).
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
