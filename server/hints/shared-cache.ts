// Whether a shared cache (CDN, proxy) may store a response and serve it to others. Its hints must then be the same
// for all clients: a list without the pages one visitor has would reveal what that visitor read, and would be wrong
// for others.
//
// Responses that are private or no-store get no hints, so this decides for the rest (RFC 9111 3):
//   a lifetime              s-maxage, max-age, Expires, public without max-age, CDN-Cache-Control (RFC 9213),
//                           Surrogate-Control: shared, unless it is 0
//   served stale            stale-while-revalidate, stale-if-error (RFC 5861): shared, whatever the lifetime
//   only Last-Modified      a heuristic lifetime is possible (RFC 9111 4.2.2): shared
//   no-cache, lifetime 0    revalidated on each use, so each visitor gets a fresh header: not shared
//                           (no-cache="x-id" concerns that field alone, 5.2.2.4)
//   none of these           nothing to base a lifetime on: not shared

import { CacheDirectives } from '../../http/cache-directives.ts';
import { TextMemo } from '../../process/text-memo.ts';
import type { Head } from './head-hook.ts';

export function isForAll(head: Head): boolean {
  if (head.field('cdn-cache-control') !== undefined) return true;
  if (head.field('surrogate-control') !== undefined) return true;
  const text = head.text('cache-control');
  if (text === '') {
    const expires = head.field('expires');
    return expires === undefined ? head.field('last-modified') !== undefined : expires !== '0';
  }
  const said = directivesSay.get(text);
  if (said !== 'nothing') return said === 'shared';
  return head.field('expires') !== undefined || head.field('last-modified') !== undefined;
}

const givenOutStale = ['stale-while-revalidate', 'stale-if-error'];

/** The verdict of a Cache-Control field by itself; a site has few different ones. */
const directivesSay = new TextMemo<'shared' | 'own' | 'nothing'>(
  (text) => {
    const directives = new CacheDirectives(text);
    // Malformed: other caches may interpret it differently.
    if (directives.hasOpenQuote || /\s=|=\s/.test(text)) return 'shared';
    if (directives.isUnqualified('no-cache')) return 'own';
    if (givenOutStale.some((name) => directives.has(name))) return 'shared';
    const shared = directives.argumentsOf('s-maxage');
    const lifetimes = shared.length > 0 ? shared : directives.argumentsOf('max-age');
    // An invalid number counts as a lifetime, because some cache may read one.
    if (lifetimes.length > 0) return lifetimes.every(isZero) ? 'own' : 'shared';
    return directives.has('public') ? 'shared' : 'nothing';
  },
  500,
  256,
);

const isZero = (argument: string | null): boolean => /^0+$/.test(argument ?? '');

/** Seconds by a Cache-Control field alone. */
const lifetimesSaid = new TextMemo<number | 'nothing'>(
  (text) => {
    const directives = new CacheDirectives(text);
    if (directives.has('no-store') || directives.isUnqualified('no-cache')) return 0;
    return directives.seconds('max-age') ?? 'nothing';
  },
  500,
  256,
);

/** How long a browser may show a response without asking again, ms (RFC 9111 4.2): max-age, else Expires. */
export function freshMsOf(head: Head): number {
  const text = head.text('cache-control');
  const seconds = text === '' ? 'nothing' : lifetimesSaid.get(text);
  if (seconds !== 'nothing') return 1000 * seconds;
  const expires = head.text('expires');
  if (expires === '') return 0;
  const expiresMs = Date.parse(expires);
  const dateMs = Date.parse(head.text('date')) || Date.now();
  return expiresMs > dateMs ? expiresMs - dateMs : 0;
}
