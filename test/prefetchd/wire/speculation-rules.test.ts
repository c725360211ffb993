// Speculation rules: the document (HTML 7.6.1) and the header that names it (HTML 7.6.3, RFC 9651).

import { describe, expect, it } from 'vitest';
import { parseSpeculationRulesHeader } from '../../../loader/page/hints-of.ts';
import type { Hint } from '../../../prefetchd/wire/hint.ts';
import {
  parseSpeculationRules,
  speculationRulesHeaderOf,
  speculationRulesOf,
} from '../../../prefetchd/wire/speculation-rules.ts';

const base = 'https://site.example/v1/speculation-rules?url=/';
const page = (url: string, probability: number): Hint => ({ url, probability, kind: 'document' });
/** Rules as text: the pages of each and its eagerness. */
const inWords = (rules?: Array<{ urls: string[]; eagerness: string }>) =>
  rules?.map(({ urls, eagerness }) => `${eagerness} ${urls.join(' ')}`).join(', ');

const hints = [
  page('/a', 0.9),
  page('/b?c', 0.75),
  page('/d', 0.6),
  page('/e', 0.49),
  { ...page('/i.png', 1), kind: 'object' as const },
];

const list = (eagerness: string, ...urls: string[]) => {
  return { source: 'list', urls, eagerness, tag: `prefetchd-${eagerness}` };
};

describe('the document', () => {
  it('groups documents by probability into immediate, eager and moderate; objects stay out', () => {
    expect(JSON.parse(speculationRulesOf(hints))).toEqual({
      tag: 'prefetchd',
      prefetch: [list('immediate', '/a', '/b?c'), list('eager', '/d'), list('moderate', '/e')],
    });
  });

  it('no hints: a valid document with nothing to do', () => {
    expect(speculationRulesOf([])).toBe('{"tag":"prefetchd","prefetch":[]}');
  });

  it.each([
    ['at most two are immediate', [0.9, 0.8, 0.85], 'immediate /0 /2, eager /1'],
    ['at most three are eager', [0.5, 0.55, 0.6, 0.7], 'eager /3 /2 /1, moderate /0'],
  ])('%s by default, the likeliest', (_, probabilities, expected) => {
    const pages = probabilities.map((probability, at) => page(`/${at}`, probability));
    expect(inWords(JSON.parse(speculationRulesOf(pages)).prefetch)).toBe(expected);
  });

  it('what is no hint, such as a page that is too large, is moderate at most', () => {
    const large = { ...page('/large', 0.9), byRulesOnly: true };
    const { prefetch } = JSON.parse(speculationRulesOf([large, page('/b', 0.5)]));
    expect(inWords(prefetch)).toBe('eager /b, moderate /large');
  });

  it('each No-Vary-Search has a rule of its own', () => {
    const varied = { ...page('/b?x=1', 0.9), noVarySearch: 'params=("x")' };
    const { prefetch } = JSON.parse(speculationRulesOf([page('/a', 0.9), varied]));
    expect(prefetch).toHaveLength(2);
    expect(prefetch[0]).not.toHaveProperty('expects_no_vary_search');
    expect(prefetch[1]).toMatchObject({ urls: ['/b?x=1'], expects_no_vary_search: 'params=("x")' });
  });

  it('a rule for all other links leaves out what is excepted', () => {
    const except = { patterns: ['/cart*'], selectors: '.no' };
    const text = speculationRulesOf([], { otherLinks: 'conservative', except });
    expect(JSON.parse(text).prefetch).toEqual([
      {
        source: 'document',
        where: {
          and: [
            { href_matches: '/*' },
            { not: { href_matches: ['/cart*'] } },
            { not: { selector_matches: '.no' } },
          ],
        },
        eagerness: 'conservative',
        tag: 'prefetchd-links',
      },
    ]);
  });

  describe('prerender', () => {
    const telling = (url: string, probability: number) => {
      return { ...page(url, probability), hasBeacon: true };
    };
    const prerendered = (given: Hint[], prerender: 'moderate' | 'immediate') =>
      inWords(JSON.parse(speculationRulesOf(given, { prerender })).prerender);

    it('names pages with the beacon alone, beside their prefetch', () => {
      const both = [page('/silent', 0.95), telling('/telling', 0.92)];
      expect(prerendered([page('/silent', 0.95)], 'immediate')).toBeUndefined();
      expect(prerendered(both, 'immediate')).toBe('immediate /telling');
      expect(prerendered(both, 'moderate')).toBe('moderate /telling');
      const rules = JSON.parse(speculationRulesOf(both, { prerender: 'immediate' }));
      expect(rules.prefetch[0].urls).toEqual(['/silent', '/telling']);
      expect(rules.prerender[0].tag).toBe('prefetchd-prerender');
    });

    it('waits for the pointer with what is no hint', () => {
      const large = { ...telling('/large', 0.95), byRulesOnly: true };
      expect(prerendered([large], 'immediate')).toBe('moderate /large');
    });

    it('is immediate for one page at most, from 0.9 on', () => {
      const two = [telling('/a', 0.95), telling('/b', 0.93)];
      expect(prerendered(two, 'immediate')).toBe('immediate /a, moderate /b');
      expect(prerendered([telling('/a', 0.89)], 'immediate')).toBe('moderate /a');
    });
  });

  it('the cut can be moved', () => {
    const text = speculationRulesOf(hints.slice(0, 2), { immediateFrom: 0.8 });
    expect(JSON.parse(text).prefetch).toEqual([list('immediate', '/a'), list('eager', '/b?c')]);
  });

  it('only the own origin', () => {
    const others = ['//evil.example', 'https://evil.example/', 'javascript:1'];
    const given = others.map((url) => page(url, 1));
    const text = speculationRulesOf(given, { origin: 'https://site.example' });
    expect(JSON.parse(text).prefetch).toEqual([]);
  });

  it('cannot end the script element it may stand in', () => {
    const except = { patterns: [], selectors: '</script><!--' };
    const options = { otherLinks: 'moderate', except } as const;
    const text = speculationRulesOf([page('/</script>', 1)], options);
    expect(text).not.toContain('<');
    expect(text).toContain('\\u003c/script>');
  });
});

describe('the document, read', () => {
  it('what goes out comes back: URLs in their order, the tag, and the group as a probability', () => {
    expect(parseSpeculationRules(speculationRulesOf(hints), base)).toEqual({
      tag: 'prefetchd',
      hints: [
        page('https://site.example/a', 0.75),
        page('https://site.example/b?c', 0.75),
        page('https://site.example/d', 0.5),
        page('https://site.example/e', 0.05),
      ],
    });
    const text = speculationRulesOf(hints);
    const again = parseSpeculationRules(text, base).hints;
    expect(speculationRulesOf(again, { origin: 'https://site.example' })).toBe(text);
  });

  it("reads other people's lists: prerender too, source may be missing, a list is immediate", () => {
    const text = JSON.stringify({
      prefetch: [{ urls: ['next', 'https://other.example/', 7] }, { where: {} }, 'rule', null],
      prerender: [{ source: 'list', urls: ['/p'], eagerness: 'conservative' }],
    });
    const read = [page('https://site.example/v1/next', 0.75), page('https://site.example/p', 0.01)];
    expect(parseSpeculationRules(text, base)).toEqual({ tag: null, hints: read });
  });

  it.each([
    ...['', 'null', '7', '[]', '{"prefetch":7}', '{"prefetch":[{"urls":"x"}]}'],
    '{"prefetch":[{"source":"document","urls":["/a"]}]}',
    '{"prefetch":[{"urls":["/a"],"eagerness":"soon"}]}',
    '{"prefetch":[{"urls":["/a"],"eagerness":{}}]}',
    '['.repeat(50_000),
    `{"prefetch":[{"urls":["/a"]}]}${' '.repeat(65_536)}`,
  ])('nothing usable is no hint: %.40s', (text) => {
    expect(parseSpeculationRules(text, base).hints).toEqual([]);
  });

  it('reads at most 100 URLs', () => {
    const urls = Array.from({ length: 300 }, (_, index) => `/${index}`);
    const text = JSON.stringify({ prefetch: [{ urls }] });
    expect(parseSpeculationRules(text, base).hints).toHaveLength(100);
  });
});

describe('the header', () => {
  it('is a list of strings (RFC 9651 3.1, 3.3.3), escaped', () => {
    const urls = ['/v1/speculation-rules?url=%2F', 'https://cdn.example/r.json', '/a"b\\c,d'];
    const field = speculationRulesHeaderOf(urls);
    expect(field).toBe(
      '"/v1/speculation-rules?url=%2F", "https://cdn.example/r.json", "/a\\"b\\\\c,d"',
    );
    expect(parseSpeculationRulesHeader(field)).toEqual(urls);
  });

  it.each(['/ä', '/a\r\nX: y', ''])('a URL that is not printable ASCII is misuse: %j', (url) => {
    expect(() => speculationRulesHeaderOf([url])).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });

  it('members that are no strings are skipped (HTML 7.6.3), parameters are ignored', () => {
    expect(
      parseSpeculationRulesHeader('token, "/a";x="b,c" , 7, ("/in" "/ner"), ?1;y, "/b"'),
    ).toEqual(['/a', '/b']);
    expect(parseSpeculationRulesHeader(['"/a"', '"/b"'])).toEqual(['/a', '/b']);
  });

  it.each(['"/a", "/b', '"/a\\x", "/b"', '"/ä", "/b"', '"/a"b, "/c"', '"/a", </b>', '"/a",'])(
    'a mistake spoils the whole field (RFC 9651 4.2): %s',
    (field) => {
      expect(parseSpeculationRulesHeader(field)).toEqual([]);
    },
  );

  it('is bounded', () => {
    expect(parseSpeculationRulesHeader(Array(100).fill('"/a"'))).toHaveLength(20);
    expect(parseSpeculationRulesHeader(`"${'a'.repeat(8192)}"`)).toEqual([]);
    expect(parseSpeculationRulesHeader(undefined)).toEqual([]);
  });
});
