// Links that act are refused in every language: a GET should be safe (RFC 9110 9.2.1), but these are not.

import { describe, expect, it } from 'vitest';
import { denyList } from '../../../prefetchd/rules/deny-list.ts';
import { ordinarySlugs, titlesThatLookAlike } from './ordinary-slugs.ts';
import { translatedUrls } from './translated-urls.ts';

const isDenied = denyList();
const urlsOf = (text: string) => text.split(/\s+/);

const withoutAccents = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize();

/** As browsers, logs and typing people spell a URL. */
const spellings: Record<string, (url: string) => string> = {
  'as it is': (url) => url,
  'percent-encoded': encodeURI,
  'percent-encoded twice': (url) => encodeURI(encodeURI(url)),
  'in capitals': (url) => encodeURI(url.toUpperCase()),
  decomposed: (url) => encodeURI(url.normalize('NFD')),
  'without accents': (url) => encodeURI(withoutAccents(url)),
  'with underscores': (url) => encodeURI(url.replaceAll('-', '_')),
  'in camelCase': (url) => encodeURI(url.replace(/-(\p{Ll})/gu, (_, next) => next.toUpperCase())),
  'below a language, of PHP': (url) => `/de${encodeURI(url).replace(/\/?$/, '.php')}`,
};

describe.each(Object.entries(translatedUrls))('%s', (_, text) => {
  it.each(Object.entries(spellings))('all are refused, %s', (_, spelled) => {
    const urls = urlsOf(text).map(spelled);
    expect(urls.filter((url) => !isDenied(url, 'document'))).toEqual([]);
  });
});

it('the list is long enough to tell: 25 languages and 270 URLs, 17 to a language', () => {
  const lists = Object.values(translatedUrls).map(urlsOf);
  expect(lists.length).toBeGreaterThanOrEqual(25);
  expect(new Set(lists.flat()).size).toBeGreaterThanOrEqual(270);
  expect(Math.min(...lists.map(({ length }) => length))).toBeGreaterThanOrEqual(17);
});

it('at most 1 % of 10,000 ordinary slugs are refused', () => {
  const slugs = ordinarySlugs(10_000);
  expect(new Set(slugs).size).toBe(10_000);
  const refused = slugs.filter((slug) => isDenied(`/blog/${encodeURI(slug)}`, 'document'));
  expect(refused.length, refused.slice(0, 40).join(' ')).toBeLessThanOrEqual(100);
  expect(refused.length).toBeGreaterThan(0); // or they would tell nothing
});

it.each(titlesThatLookAlike)('a title that has such a word is no action: %s', (path) => {
  expect(isDenied(encodeURI(path), 'document')).toBe(false);
});
