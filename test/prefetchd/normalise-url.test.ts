import { describe, expect, test } from 'vitest';
import { type QueryRule, queryMayBeHinted, urlNormaliser } from '../../prefetchd/normalise-url.ts';
import fc from '../support/property.ts';

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
    ['two slashes would name a host in a hint: refused', '//evil.example/a', null],
    ['also when they come of dot segments', '/.//evil.example/a', null],
    ['also when they come of backslashes', '/\\evil.example/a', null],
  ];
  for (const [rule, raw, normal] of cases) {
    test(`${rule}: ${raw}`, () => expect(normalise(raw)).toBe(normal));
  }

  test('absolute URLs of the site itself become paths', () => {
    const ofSite = urlNormaliser({ origin: 'https://example.com:443' });
    expect(ofSite('https://EXAMPLE.com/a?b#c')).toBe('/a?b');
    expect(ofSite('http://example.com/a')).toBe('http://example.com/a');
    expect(ofSite('https://example.com//a')).toBe(null);
  });

  test('URLs longer than allowed are refused, before and after escaping', () => {
    const short = urlNormaliser({ maxCharacters: 10 });
    expect(short('/123456789')).toBe('/123456789');
    expect(short('/1234567890')).toBe(null);
    expect(short('/ééé')).toBe(null);
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
  const anyRule = fc.constantFrom<QueryRule>('drop-from-hints', 'keep', 'strip', ['a', 'b']);

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
  describe('drop-from-hints, the default', () => {
    const mayHint = queryMayBeHinted();

    test('documents with a query are never hinted, whatever is in it', () => {
      expect(mayHint('/logout?now=1', 'document')).toBe(false);
      expect(mayHint('/page.html?v=3', 'document')).toBe(false);
      expect(mayHint('/a', 'document')).toBe(true);
    });

    test.each([
      '/style.css?v=3',
      '/wp/theme.css?ver=6.1.2-beta',
      '/app.js?1478862001',
      '/app.js?_=1478862001',
      '/logo.svg?9f86d081884c',
      '/i.png',
    ])('a file and its version are hinted: %s', (url) => {
      expect(mayHint(url, 'object')).toBe(true);
    });

    test.each([
      '/api?email=jane@site.example',
      '/api?v=3',
      '/api/search.json?q=illness',
      '/pixel.gif?uid=12345',
      '/pixel.gif?v=3&uid=12345',
      '/pixel.gif?janedoe',
      '/a.css?v=',
      '/a.css?v=%6a%61ne',
      `/a.css?v=${'3'.repeat(41)}`,
      '/a.css?',
    ])('what may say something about somebody is not: %s', (url) => {
      expect(mayHint(url, 'object')).toBe(false);
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
    expect(() => urlNormaliser({ query: 'drop' as never })).toThrow(
      /query must be drop-from-hints/,
    );
    expect(() => urlNormaliser({ origin: 'example.com' })).toThrow(/origin must be an http/);
  });
});
