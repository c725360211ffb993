// May a shared cache (a CDN, a proxy) keep this response and give it to others? Then its hints must be
// those for everybody: a list from which the pages that one visitor has are left out tells others what
// that visitor read, and is the wrong list for them.
//
// What is private or no-store gets no hints at all, so the question is for the rest (RFC 9111 3):
//   a lifetime is given     s-maxage, max-age, Expires, public without max-age, CDN-Cache-Control (RFC 9213),
//                           Surrogate-Control: shared, unless it is 0
//   given out stale         stale-while-revalidate, stale-if-error (RFC 5861): shared, whatever the lifetime
//   none, but Last-Modified a lifetime may be guessed (RFC 9111 4.2.2): shared
//   no-cache, lifetime 0    each use is asked about first, so each visitor's answer is our own: not shared
//                           (no-cache="x-id" is about that field alone, 5.2.2.4)
//   nothing at all          no cache has anything to guess from: not shared

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

/** What a Cache-Control field alone says; a site has few of them. */
const directivesSay = new TextMemo<'shared' | 'own' | 'nothing'>(
  (text) => {
    const directives = new CacheDirectives(text);
    // Malformed: others may read it otherwise.
    if (directives.hasOpenQuote || /\s=|=\s/.test(text)) return 'shared';
    if (directives.isUnqualified('no-cache')) return 'own';
    if (givenOutStale.some((name) => directives.has(name))) return 'shared';
    const shared = directives.argumentsOf('s-maxage');
    const lifetimes = shared.length > 0 ? shared : directives.argumentsOf('max-age');
    // What is no number is taken as a lifetime: somebody else may read one.
    if (lifetimes.length > 0) return lifetimes.every(isZero) ? 'own' : 'shared';
    return directives.has('public') ? 'shared' : 'nothing';
  },
  500,
  256,
);

const isZero = (argument: string | null): boolean => /^0+$/.test(argument ?? '');
