import { describe, expect, test } from 'vitest';
import { type QueryRule, queryMayBeHinted, urlNormaliser } from '../../prefetchd/normalise-url.ts';
import { mayHintRule } from '../../prefetchd/rules/deny-list.ts';
import { isPageQuery } from '../../prefetchd/rules/page-query.ts';
import fc from '../support/property.ts';
import { dangerousQueries, pageQueries } from './rules/dangerous-queries.ts';

const normalise = urlNormaliser();

describe('one spelling for each URL (RFC 3986 6.2.2)', () => {
  const cases: Array<[rule: string, raw: string, normal: string | null]> = [
    ['a plain path stays', '/a/b.html', '/a/b.html'],
    ['a fragment is cut off', '/a#top', '/a'],
    ['dot segments are resolved (5.2.4)', '/a/./b/../c', '/a/c'],
    ['dot segments do not leave the root', '/../../a', '/a'],
    ['escaped dot segments are dot segments', '/a/%2e%2E/b', '/b'],
    ['a hidden file is no dot segment', '/.well-known/x', '/.well-known/x'],
    ['escapes are in upper case (6.2.2.1)', '/a%2fb', '/a%2Fb'],
    ['what needs no escape has none (6.2.2.2)', '/%7Euser/%61', '/~user/a'],
    ['an escaped escape stays one', '/%2561', '/%2561'],
    ['a percent sign alone stays', '/100%', '/100%'],
    ['what is not ASCII is escaped', '/é', '/%C3%A9'],
    ['an empty query is none', '/a?', '/a'],
    ['a query stays', '/a?b=c&d', '/a?b=c&d'],
    ['a backslash is a slash (WHATWG URL)', '/a\\b', '/a/b'],
    ['an absolute URL stays absolute', 'http://Example.COM/a', 'http://example.com/a'],
    ['a default port is dropped', 'https://example.com:443/a', 'https://example.com/a'],
    ['another port stays', 'http://example.com:8080/', 'http://example.com:8080/'],
    ['credentials are dropped', 'http://me:secret@example.com/', 'http://example.com/'],
    ['a host without a path has the path /', 'http://example.com', 'http://example.com/'],
    ['__proto__ is a URL like any other', '/__proto__', '/__proto__'],
    ['no path and no URL is refused', 'index.html', null],
    ['the asterisk of OPTIONS is refused', '*', null],
    ['an authority (CONNECT) is refused', 'example.com:443', null],
    ['other schemes are refused', 'javascript:alert(1)', null],
    ['nothing is refused', '', null],
    ['two slashes would name a host in a hint: one', '//evil.example/a', '/evil.example/a'],
    ['also when they come of dot segments', '/.//evil.example/a', '/evil.example/a'],
    ['also when they come of backslashes', '/\\evil.example/a', '/evil.example/a'],
  ];
  for (const [rule, raw, normal] of cases) {
    test(`${rule}: ${raw}`, () => expect(normalise(raw)).toBe(normal));
  }

  test('absolute URLs of the site itself become paths', () => {
    const ofSite = urlNormaliser({ origin: 'https://example.com:443' });
    expect(ofSite('https://EXAMPLE.com/a?b#c')).toBe('/a?b');
    expect(ofSite('http://example.com/a')).toBe('http://example.com/a');
    expect(ofSite('https://example.com//a')).toBe('/a');
  });

  test('URLs longer than allowed are refused, before and after escaping', () => {
    const path = `/${'x'.repeat(2047)}`;
    expect(normalise(path)).toBe(path);
    expect(normalise(`${path}x`)).toBe(null);
    expect(normalise(`/${'é'.repeat(2047)}`)).toBe(null);
    expect(normalise(`/${'x'.repeat(10_000_000)}`)).toBe(null);
  });

  const anyUrl = fc.oneof(
    fc.string().map((text) => `/${text}`),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .array(fc.constantFrom('.', '..', '%2e', '%', '%7e', '?', '#', '/', "'", 'a', '&', '=', '//'))
      .map((parts) => `/${parts.join('')}`),
    fc.string({ unit: 'binary' }),
  );
  const rules = ['drop-from-hints', 'evidence', 'keep', 'strip', ['a', 'b']] as const;
  const anyRule = fc.constantFrom<QueryRule>(...rules);

  test('what is normal stays as it is, under every rule', () => {
    fc.assert(
      fc.property(anyUrl, anyRule, (raw, query) => {
        const rule = urlNormaliser({ query });
        const once = rule(raw);
        if (once === null) return;
        expect(rule(once)).toBe(once);
        expect(once).toMatch(/^(\/(?!\/)|https?:\/\/)[!-~]*$/);
        expect(once).not.toContain('#');
      }),
      { numRuns: 3000 },
    );
  });
});

describe('what a query means is configurable', () => {
  describe('drop-from-hints', () => {
    const mayHint = queryMayBeHinted('drop-from-hints');

    test('documents with a query are never hinted, whatever is in it', () => {
      expect(mayHint('/logout?now=1', 'document')).toBe(false);
      expect(mayHint('/page.html?v=3', 'document')).toBe(false);
      expect(mayHint('/a', 'document')).toBe(true);
    });

    test.each([
      ...['/style.css?v=3', '/wp/theme.css?ver=6.1.2-beta', '/app.js?1478862001', '/i.png'],
      ...['/app.js?_=1478862001', '/logo.svg?9f86d081884c'],
    ])('a file and its version are hinted: %s', (url) => {
      expect(mayHint(url, 'object')).toBe(true);
    });

    test.each([
      ...['/api?email=jane@site.example', '/api?v=3', '/api/search.json?q=illness', '/a.css?v='],
      ...['/pixel.gif?uid=12345', '/pixel.gif?v=3&uid=12345', '/pixel.gif?janedoe', '/a.css?'],
      ...['/a.css?v=%6a%61ne', `/a.css?v=${'3'.repeat(41)}`],
    ])('what may say something about somebody is not: %s', (url) => {
      expect(mayHint(url, 'object')).toBe(false);
    });
  });

  describe('evidence: pages whose query is harmless', () => {
    const mayHint = queryMayBeHinted('evidence');
    const page = (query: string) => mayHint(`/index.php?${query}`, 'document');
    const allDangerous = Object.values(dangerousQueries).flat();
    const allPages = Object.values(pageQueries).flat();
    const parameter = fc.oneof(fc.constantFrom(...allDangerous), fc.constantFrom(...allPages));

    test.each(Object.entries(dangerousQueries))('never learned: %s', (_, queries) => {
      expect(queries.filter(page)).toEqual([]);
    });

    test.each(Object.entries(pageQueries))('pages of sites: %s', (_, queries) => {
      const isLearned = mayHintRule({ query: 'evidence' });
      expect(queries.filter((query) => !isLearned(`/a?${query}`, 'document'))).toEqual([]);
    });

    test('what is dangerous stays so beside what is harmless, on either side', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...allDangerous),
          fc.constantFrom(...allPages),
          fc.constantFrom('&', ';'),
          (bad, good, separator) =>
            !isPageQuery(bad + separator + good) && !isPageQuery(good + separator + bad),
        ),
        { numRuns: 1000 },
      );
    });

    test('what is dangerous stays so with letters escaped', () => {
      const plain = allDangerous.filter((query) => !query.includes('%'));
      fc.assert(
        fc.property(fc.constantFrom(...plain), fc.integer(), (query, which) => {
          const escaped = query.replace(/[a-z]/gi, (letter, at: number) =>
            (which >> (at % 31)) & 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
          );
          return escaped.length > 256 || !isPageQuery(escaped);
        }),
        { numRuns: 1000 },
      );
    });

    test('tokens of any kind are not learned, whatever their name', () => {
      const of = (set: string, minLength: number, maxLength: number) =>
        fc.string({ unit: fc.constantFrom(...set), minLength, maxLength });
      const [ten, letters] = ['0123456789', 'abcdefghijklmnopqrstuvwxyz'];
      const [hex, digits] = [of(`${ten}abcdef`, 32, 64), of(ten, 10, 20)];
      const base64 = of(`${letters}${letters.toUpperCase()}${ten}`, 32, 64);
      fc.assert(
        fc.property(fc.oneof(hex, base64, digits, fc.uuid(), fc.emailAddress()), (token) => {
          expect(isPageQuery(`id=7&x=${encodeURIComponent(token)}`)).toBe(false);
        }),
        { numRuns: 1000 },
      );
    });

    test('any text has a verdict, in linear time', () => {
      const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), parameter);
      fc.assert(
        fc.property(anyText, (text) => typeof isPageQuery(text) === 'boolean'),
        { numRuns: 2000 },
      );
      expect(isPageQuery('a'.repeat(10_000_000))).toBe(false);
      const pumped = ['a', 'aA', 'a1', '-', 'a-', '%61', '.', '1 ', 'a_', ':', '=', 'é'];
      const startMs = performance.now();
      for (let round = 0; round < 100; round++) {
        for (const piece of pumped) isPageQuery(`n${round}=${piece.repeat(256)}`.slice(0, 256));
      }
      // 1,200 queries take about 50 ms; backtracking over 256 characters would take minutes.
      expect(performance.now() - startMs).toBeLessThan(10_000);
    });

    test('embedded objects and files: only versions, as by default', () => {
      expect(mayHint('/style.css?v=3', 'object')).toBe(true);
      expect(mayHint('/api?page=2', 'object')).toBe(false);
      expect(mayHint('/feed.xml?page=2', 'document')).toBe(false);
      expect(mayHint('/a', 'document')).toBe(true);
    });

    test('tracking parameters are no part of the page, in any case', () => {
      const byEvidence = urlNormaliser({ query: 'evidence' });
      expect(byEvidence('/a?utm_source=x&GCLID=1&fbclid=2&mc_eid=3')).toBe('/a');
      expect(byEvidence('/a?utm_source=x&page=2&&%75tm_medium=y')).toBe('/a?page=2');
      expect(byEvidence('/a?page=2&_hsenc=p2ANqtz#top')).toBe('/a?page=2');
      expect(byEvidence('/a.css?v=3&utm_source=x')).toBe('/a.css?v=3&utm_source=x');
    });

    test('the order is the one first seen, as the links of the site have it', () => {
      const byEvidence = urlNormaliser({ query: 'evidence', origin: 'https://site.example' });
      const linked = '/index.php?option=com_content&view=article&id=7';
      expect(byEvidence(linked)).toBe(linked);
      expect(byEvidence('/index.php?id=7&option=com_content&view=article')).toBe(linked);
      const other = 'https://site.example/index.php?view=article&id=7&option=com_content';
      expect(byEvidence(other)).toBe(linked);
      expect(byEvidence('/index.php?view=article&id=8')).toBe('/index.php?view=article&id=8');
      expect(byEvidence('/a.css?v=3&b=1')).toBe('/a.css?v=3&b=1');
    });

    test('the table of orders is bounded: dangerous queries do not enter it, old pages leave it', () => {
      const byEvidence = urlNormaliser({ query: 'evidence' });
      byEvidence('/a?b=1&a=2');
      for (let i = 0; i < 11_000; i++) byEvidence(`/a?token=${i}&b=1`);
      for (let i = 0; i < 6_000; i++) byEvidence(`/b?page=${i}&a=1`);
      expect(byEvidence('/a?a=2&b=1')).toBe('/a?b=1&a=2');
      const long = `/${'x'.repeat(512)}`;
      expect(byEvidence(`${long}?b=1&a=2`)).toBe(`${long}?a=2&b=1`);
      for (let i = 0; i < 11_000; i++) byEvidence(`/b?page=${i}&b=1`);
      expect(byEvidence('/a?a=2&b=1')).toBe('/a?a=2&b=1');
    });

    test('order and tracking make no difference to the page', () => {
      const pair = fc.constantFrom(...allPages.flatMap((query) => query.split('&')));
      const tracking = fc.constantFrom('utm_source=x', 'gclid=Cj0KCQ', 'fbclid=IwAR0', '_ga=2.1');
      const byEvidence = urlNormaliser({ query: 'evidence' });
      fc.assert(
        fc.property(
          fc.uniqueArray(pair, { minLength: 1, maxLength: 6 }),
          tracking,
          (pairs, extra) => {
            const once = byEvidence(`/a?${pairs.join('&')}`) as string;
            fc.pre(isPageQuery(once.slice(3)));
            expect(byEvidence(once)).toBe(once);
            expect(byEvidence(`/a?${[extra, ...pairs.toReversed()].join('&')}`)).toBe(once);
            expect(byEvidence(`/a?${[...pairs.toSorted(), extra].join('&')}`)).toBe(once);
            const kept = urlNormaliser({ query: 'keep' })(`/a?${pairs.join('&')}`) as string;
            const sorted = (url: string) => url.slice(3).split('&').toSorted();
            expect(sorted(once)).toEqual(sorted(kept));
          },
        ),
        { numRuns: 500 },
      );
    });
  });

  test('strip: a URL is its path', () => {
    const strip = urlNormaliser({ query: 'strip' });
    expect(strip('/search?q=a')).toBe('/search');
    expect(strip('/a')).toBe('/a');
  });

  test('keep: a query is part of the URL, and hinted', () => {
    expect(urlNormaliser({ query: 'keep' })('/search?q=%61')).toBe('/search?q=a');
    expect(queryMayBeHinted('keep')('/search?q=a', 'document')).toBe(true);
  });

  test('a list: only these parameters stay, sorted by name, and are hinted', () => {
    const rule = ['page', 'lang'];
    const listed = urlNormaliser({ query: rule });
    expect(listed('/a?utm_source=x&page=2&lang=de&page=3')).toBe('/a?lang=de&page=2&page=3');
    expect(listed('/a?utm_source=x')).toBe('/a');
    expect(listed('/a?__proto__=1')).toBe('/a');
    expect(queryMayBeHinted(rule)('/a?page=2', 'document')).toBe(true);
  });

  test('another rule is refused', () => {
    const query = 'drop' as never;
    expect(() => urlNormaliser({ query })).toThrow(/query must be evidence, drop-from-hints/);
    expect(() => urlNormaliser({ origin: 'example.com' })).toThrow(/origin must be an http/);
  });
});
