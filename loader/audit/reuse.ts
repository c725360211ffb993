// What a response says about its reuse (RFC 9111): the two kinds of advice on it share this.

import { cacheDirectives } from '../../http/cache-directives.ts';
import { explicitLifetimeMs } from '../cache/policy/freshness.ts';
import { answered, type Loaded } from './subject.ts';

export interface Reuse {
  /** null: the response states none. */
  lifetimeMs: number | null;
  hasValidator: boolean;
  /** no-store. */
  isForbidden: boolean;
  /** no-cache: validated each time, as its author wants. */
  isAlwaysValidated: boolean;
}

/** @param startedAtMs when the load began, by the wall clock */
export function reuseOf({ row }: Loaded, startedAtMs: number): Reuse {
  const directives = cacheDirectives(row.responseHeaders);
  const receivedAtMs = startedAtMs + (row.responseStartMs ?? 0);
  const { responseHeaders: headers } = row;
  return {
    lifetimeMs: explicitLifetimeMs({ headers, receivedAtMs, requestedAtMs: receivedAtMs }, false),
    hasValidator: answered(row, 'etag') !== '' || answered(row, 'last-modified') !== '',
    isForbidden: directives.has('no-store'),
    isAlwaysValidated: directives.has('no-cache'),
  };
}

/** The bytes of a response's header section. */
export const headBytes = ({ row }: Loaded): number => row.transferBytes - row.encodedBytes;
