// Referer by policy: the table of Referrer Policy 8.3, in full.

import { describe, expect, it } from 'vitest';
import {
  defaultReferrerPolicy,
  parseReferrerPolicy,
  type ReferrerPolicy,
  refererFor,
} from '../../../loader/request/referrer.ts';

const secure = 'https://a.example/dir/page?q=1#part';
const clear = 'http://a.example/dir/page?q=1#part';

/** To: the same origin, another origin as safe, from TLS to clear text. */
const table: Array<[ReferrerPolicy, same: string, cross: string, downgrade: string]> = [
  ['no-referrer', '', '', ''],
  ['no-referrer-when-downgrade', 'whole', 'whole', ''],
  ['same-origin', 'whole', '', ''],
  ['origin', 'origin', 'origin', 'origin'],
  ['strict-origin', 'origin', 'origin', ''],
  ['origin-when-cross-origin', 'whole', 'origin', 'origin'],
  ['strict-origin-when-cross-origin', 'whole', 'origin', ''],
  ['unsafe-url', 'whole', 'whole', 'whole'],
];

describe('Referer (Referrer Policy 8.3)', () => {
  it.each(table)('%s: same origin %j, other %j, downgrade %j', (policy, same, cross, downgrade) => {
    const meaning = (scheme: string): Record<string, string> => ({
      '': '',
      origin: `${scheme}://a.example/`,
      whole: `${scheme}://a.example/dir/page?q=1`, // never the fragment
    });
    const referer = (from: string, to: string) => refererFor(new URL(from), new URL(to), policy);
    expect(referer(secure, 'https://a.example/x')).toBe(meaning('https')[same]);
    expect(referer(secure, 'https://b.example/x')).toBe(meaning('https')[cross]);
    expect(referer(secure, 'https://a.example:8443/x')).toBe(meaning('https')[cross]);
    expect(referer(secure, 'http://a.example/x')).toBe(meaning('https')[downgrade]);
    expect(referer(clear, 'http://a.example/x')).toBe(meaning('http')[same]);
    expect(referer(clear, 'http://b.example/x')).toBe(meaning('http')[cross]);
    expect(referer(clear, 'https://a.example/x')).toBe(meaning('http')[cross]); // no downgrade
  });

  it('never carries credentials', () => {
    const from = new URL('https://user:secret@a.example/x');
    expect(refererFor(from, from, 'unsafe-url')).toBe('https://a.example/x');
  });
});

describe('the Referrer-Policy header (Referrer Policy 8.1)', () => {
  it.each([
    ['', 'strict-origin-when-cross-origin'],
    ['no-referrer', 'no-referrer'],
    ['Unsafe-URL', 'unsafe-url'],
    ['no-referrer, origin', 'origin'],
    ['origin, nonsense', 'origin'],
    ['nonsense', defaultReferrerPolicy],
    [' ,, same-origin ,', 'same-origin'],
  ])('%j is %s: the last known token', (header, policy) => {
    expect(parseReferrerPolicy(header)).toBe(policy);
  });
});
