// Hostile URLs out, hostile fields in: nothing leaves that is not of the site, nothing is lost that is,
// nothing throws. A failure prints its seed.

import { describe, expect, it } from 'vitest';
import { parseSpeculationRulesHeader } from '../../loader/page/hints-of.ts';
import { denyList } from '../../prefetchd/rules/deny-list.ts';
import { judgeRequest, judgeResponse, kindOfRequest } from '../../prefetchd/rules/eligibility.ts';
import {
  accessesJson,
  hintsJson,
  parseAccesses,
  parseHints,
} from '../../prefetchd/wire/access-json.ts';
import type { Hint } from '../../prefetchd/wire/hint.ts';
import { formatLink, parseLinks } from '../../prefetchd/wire/link-header.ts';
import { appendLinkHints, hintsOfLinks, linkHeaderOf } from '../../prefetchd/wire/link-hints.ts';
import {
  parseSpeculationRules,
  speculationRulesHeaderOf,
  speculationRulesOf,
} from '../../prefetchd/wire/speculation-rules.ts';
import fc from '../support/property.ts';

const origin = 'https://site.example';
const pageUrl = `${origin}/dir/page`;

/** What URLs, and those who mean them ill, are made of. */
const pieces = [
  '/', '//', '\\', '/\\', '.', '..', '%2e', '?', '#', '&', '=', ':', '@', ',', ', ', ';', '; ', '<', '>', '"', "'",
  '\\"', '`', '|', '^', '{', '}', '[', ']', '(', '*', '+', '~', '$', '!', '\r', '\n', '\r\n', '\t', ' ', '\0',
  '\x01', '\x1b', '\x7f', '\x85', '\u2028', '\ufeff', '%', '%%', '%0d%0a', '%3E', '%zz', '%ff', '%00', '%2f', '%5c',
  '%25', '%u0041', 'ä', '日本', '\u{1f600}', '\ud800', '\udc00', '\u202e', '／', '。', 'ﬀ', 'a', 'b', 'index.html',
  'i.png', 'logout', 'rel=preload', '</script>', '</a>; rel=preload, <//evil>', '//evil.example', 'evil.example',
  'https://evil.example/', 'http:evil', 'javascript:alert(1)', 'data:text/html,', 'https://site.example',
  'https://site.example/', 'HTTPS://SITE.EXAMPLE:443/', 'https://user:pass@site.example/',
  'https://site.example:8443/', 'path.invalid', 'file:///etc',
]; // biome-ignore format: a list of words
const piece = fc.constantFrom(...pieces);
const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.array(piece, { maxLength: 8 }).map((list) => `/${list.join('')}`) },
  { weight: 2, arbitrary: fc.array(piece, { maxLength: 8 }).map((list) => list.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.array(piece, { maxLength: 4 }).map((l) => `${origin}/${l.join('')}`) },
  { weight: 1, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }) },
);
const probability = fc.integer({ min: 1, max: 100 }).map((percent) => percent / 100);
/** Objects go out as links where their extension says how they are fetched. */
const anyHint = fc.tuple(hostile, probability, fc.constantFrom('document', 'next', 'current')).map(
  ([url, weight, what]): Hint =>
    what === 'document'
      ? { url, probability: weight, kind: 'document' }
      : {
          url: `${url.replace(/[?#].*$/s, '')}/i.png`,
          probability: weight,
          kind: 'object',
          navigation: what as 'next' | 'current',
        },
);
const documents = fc.array(
  fc.record({ url: hostile, probability, kind: fc.constant('document' as const) }),
  { maxLength: 8 },
);

/** What the parser of browsers says that this is, on the site's own page; null: not the site's. */
function siteUrl(raw: string): string | null {
  if (!/^(?:\/|https?:\/\/)/i.test(raw)) return null;
  if (/^\/[\t\r\n]*[/\\]/.test(raw)) return null;
  const url = URL.parse(raw, pageUrl);
  if (url === null || url.origin !== origin || url.username + url.password !== '') return null;
  url.hash = '';
  return url.pathname.startsWith('//') ? null : url.href;
}
const expected = (hints: readonly Hint[]): string[] =>
  [...new Set(hints.map(({ url }) => siteUrl(url)).filter((url) => url !== null))].sort();
const urls = (hints: readonly Hint[]): string[] => hints.map(({ url }) => url).sort();

/** Written from the grammar, and knowing nothing of the parser: one member as we write it. */
const member = String.raw`<\/(?!\/)[\x21\x23-\x3b\x3d\x3f-\x7e]*>; rel=(?:prefetch|(?:prefetch|preload); as=image); probability=[01](?:\.\d\d?)?`;
const ourField = new RegExp(`^(?:${member}(?:, ${member})*)?$`);
const wide = { origin, maxLinks: 100, maxBytes: 65_536 };

describe('hostile URLs, 10,000 of them', () => {
  it('each goes out as itself or not at all, in every format', () => {
    let wentOut = 0;
    fc.assert(
      fc.property(anyHint, (hint) => {
        const hints = [hint];
        const wanted = expected(hints);
        wentOut += wanted.length;
        const field = linkHeaderOf(hints, wide);
        expect(field).toMatch(ourField);
        const read = hintsOfLinks(parseLinks(field, pageUrl), { pageUrl });
        expect(read).toEqual(wanted.map((href) => ({ ...hint, url: href })));
        expect(field.includes('>; rel=preload')).toBe(
          wanted.length > 0 && hint.navigation === 'current',
        );

        const rules = speculationRulesOf(hints, { origin });
        expect(rules).toMatch(/^[\x20-\x3b\x3d-\x7e]*$/);
        const inRules = hint.kind === 'document' ? wanted : [];
        expect(urls(parseSpeculationRules(rules, pageUrl).hints)).toEqual(inRules);
        // The API hands on what it is given.
        expect(parseHints(JSON.parse(hintsJson(read)))).toEqual(read);
      }),
      { numRuns: 10_000 },
    );
    // Were all refused, or all let out, the property above would hold and mean nothing.
    expect(wentOut).toBeGreaterThan(2_000);
    expect(wentOut).toBeLessThan(9_000);
  });

  it('together: exactly the set of the site’s URLs, also behind an upstream’s field', () => {
    fc.assert(
      fc.property(documents, (hints) => {
        const field = linkHeaderOf(hints, wide);
        expect(field).toMatch(ourField);
        const read = urls(hintsOfLinks(parseLinks(field, pageUrl)));
        expect(read).toEqual(expected(hints));
        const before = '</first,one>; rel=preload; title="a, b"';
        const appended = appendLinkHints(before, pageUrl, hints, wide);
        expect(appended.startsWith(before)).toBe(true);
        const all = urls(hintsOfLinks(parseLinks(appended, pageUrl)));
        expect(new Set(all)).toEqual(new Set([`${origin}/first,one`, ...expected(hints)]));
      }),
      { numRuns: 1_000 },
    );
  });

  it('the caps hold for any hints', () => {
    const caps = {
      maxLinks: fc.integer({ min: 1, max: 5 }),
      maxBytes: fc.integer({ min: 1, max: 300 }),
    };
    fc.assert(
      fc.property(documents, fc.record(caps), (hints, { maxLinks, maxBytes }) => {
        const field = linkHeaderOf(hints, { origin, maxLinks, maxBytes });
        expect(field).toMatch(ourField);
        expect(field.length).toBeLessThanOrEqual(maxBytes);
        expect(parseLinks(field, pageUrl).length).toBeLessThanOrEqual(maxLinks);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('hostile fields', () => {
  const fieldPieces = [
    '<', '>', '"', '\\', ',', ';', '=', ' ', '\t', 'rel', 'rel=', 'prefetch', 'title*=', '(', ')', "UTF-8''%ff",
    'anchor=', '</a>', '; rel=prefetch', ', ', '[', ']', '{', '}', ':', '"/a"', '0.5', '[["/a",1]]', 'null',
    '"prefetch"', '"urls"', 'private', 'no-store', '*', 'é', '\ud800', '\0',
  ]; // biome-ignore format: a list of words
  const fieldPiece = fc.constantFrom(...fieldPieces);
  const field = fc.oneof(
    fc.array(fieldPiece, { maxLength: 40 }).map((list) => list.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.json(),
  );

  it('no reader throws, and what it gives is well formed', () => {
    const isDenied = denyList();
    fc.assert(
      fc.property(field, (text) => {
        for (const { url, rels } of parseLinks(text, pageUrl)) {
          expect(URL.canParse(url)).toBe(true);
          expect(rels.length).toBeGreaterThan(0);
        }
        const hints = [
          ...hintsOfLinks(parseLinks(text, pageUrl), { pageUrl }),
          ...parseSpeculationRules(text, pageUrl).hints,
        ];
        for (const hint of hints) {
          expect(hint.url).toMatch(/^https?:/);
          expect(hint.probability >= 0 && hint.probability <= 1).toBe(true);
        }
        parseSpeculationRulesHeader(text);
        judgeResponse({ status: 200, headers: { 'cache-control': text, vary: text } });
        const headers = { 'user-agent': text, accept: text, host: text, 'sec-purpose': text };
        judgeRequest({ method: 'GET', url: text, headers });
        kindOfRequest(headers, text);
        isDenied(text, 'document');
      }),
      { numRuns: 3_000 },
    );
  });

  it('any JSON is accesses, or errors that say where', () => {
    const value = fc.oneof(fc.jsonValue(), fc.string(), fc.double());
    const item = fc.record(
      Object.fromEntries(
        'client url timeMs kind status bytes prefetch durationMs alsoSent'
          .split(' ')
          .map((name) => [name, value]),
      ),
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      fc.jsonValue(),
      item,
      fc.array(item),
      fc.record({ accesses: fc.array(item) }),
    );
    fc.assert(
      fc.property(body, (parsed) => {
        const options = { nowMs: 0, kindOfPath: () => 'document' as const };
        const { accesses, errors } = parseAccesses(parsed, options);
        expect(parseAccesses(JSON.parse(accessesJson(accesses)), options)).toEqual({
          accesses,
          errors: [],
        });
        expect(errors.every(({ place, message }) => message.startsWith(place))).toBe(true);
        expect(parseHints({ hints: parsed }).length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('both directions', () => {
  it('any parameters of a link come back', () => {
    const token = fc
      .stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
      .filter((name) => name !== 'rel' && name !== 'anchor');
    const value = fc.oneof(fc.stringMatching(/^[\t\x20-\x7e]{0,20}$/), fc.constant(null));
    const params = fc.uniqueArray(fc.tuple(token, value), {
      selector: ([name]) => name,
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(params, { maxLength: 5 }), (lists) => {
        const text = lists.map((list) => formatLink('/a,b;c', [['rel', 'x'], ...list])).join(', ');
        const read = parseLinks(text, pageUrl).map(({ params: found }) => [...found].slice(1));
        expect(read).toEqual(lists.map((list) => list.map(([name, text]) => [name, text ?? ''])));
      }),
      { numRuns: 2_000 },
    );
  });

  it('any printable URLs of rules come back', () => {
    const list = fc.array(fc.stringMatching(/^[\x20-\x7e]{1,30}$/), { maxLength: 20 });
    fc.assert(
      fc.property(list, (named) => {
        expect(parseSpeculationRulesHeader(speculationRulesHeaderOf(named))).toEqual(named);
      }),
      { numRuns: 2_000 },
    );
  });
});
