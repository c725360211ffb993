// The table of hints as JSON and as a map for nginx: nothing that somebody put into a URL breaks out of it.

import { expect, it } from 'vitest';
import type { Hint } from '../../../prefetchd/wire/hint.ts';
import { hintTable, hintTableEntry, longestMapKey } from '../../../prefetchd/wire/hint-table.ts';
import fc from '../../support/property.ts';

const to = (url: string, probability = 0.75): Hint => ({ url, probability, kind: 'document' });

function table(rows: Record<string, Hint[]>, options = {}) {
  const entries = Object.entries(rows).flatMap(
    ([url, hints]) => hintTableEntry({ url, hints }, options) ?? [],
  );
  const linesOf = (name: string) => hintTable(name, entries, options).split('\n').slice(1, -1);
  const json = JSON.parse(hintTable('hints.json', entries, options));
  return { json, map: linesOf('a.map'), caddy: linesOf('a.caddy'), txt: linesOf('a.txt') };
}

it('a page has the value of its Link field, and its hints', () => {
  const picture: Hint = { ...to('/i.png'), kind: 'object', navigation: 'next' };
  const { json, map, caddy, txt } = table({ '/a': [to('/b', 0.7512), picture] });
  const link =
    '</b>; rel=prefetch; probability=0.75, </i.png>; rel=prefetch; as=image; probability=0.75';
  expect(json.pages['/a']).toEqual({
    link,
    hints: [
      { url: '/b', probability: 0.75, kind: 'document' },
      { url: '/i.png', probability: 0.75, kind: 'object', navigation: 'next' },
    ],
  });
  expect(map).toEqual([`"/a" "${link}";`]);
  expect(caddy).toEqual([`"/a" "${link}"`]);
  expect(txt).toEqual([`/a ${link.replaceAll(' ', '')}`]);
});

it('nothing to say is a table of nothing', () => {
  const nothing = { json: { pages: {} }, map: [], caddy: [], txt: [] };
  expect(table({})).toEqual(nothing);
  expect(table({ '/a': [to('https://else.example/b')] })).toEqual(nothing);
});

it('a site of absolute URLs has pages when its origin is known', () => {
  const { map } = table(
    { 'https://a.example/x': [to('https://a.example/y')] },
    { origin: 'https://a.example' },
  );
  expect(map).toEqual(['"/x" "</y>; rel=prefetch; probability=0.75";']);
});

it('pages that differ in case alone get keys that nginx compares exactly', () => {
  const { map } = table({ '/Über': [], '/A.b': [to('/1')], '/a.b': [to('/2')], '/c': [to('/3')] });
  expect(map.map((line) => line.split(' ')[0])).toEqual(['"~^/A[.]b$"', '"~^/a[.]b$"', '"/c"']);
});

it('a variable of nginx goes in neither as page nor as hint; other hints keep their place', () => {
  const { map } = table({ '/a$http_cookie': [to('/b')], '/a': [to('/$http_cookie'), to('/b')] });
  expect(map).toEqual(['"/a" "</b>; rel=prefetch; probability=0.75";']);
});

it('a page longer than a bucket of nginx holds is left out of the map', () => {
  const long = `/${'a'.repeat(longestMapKey)}`;
  const { json, map } = table({ [long]: [to('/b')] });
  expect([Object.keys(json.pages), map]).toEqual([[long], []]);
});

it('whatever URLs are, a line of the map is two quoted texts and a semicolon', () => {
  const nasty = fc.string({ unit: fc.constantFrom(...'aA/.$"\\{};#\n\r\t %?&<>()[]~^é\u{1f600}') });
  const url = fc.oneof(nasty, fc.string()).map((text) => `/${text}`);
  fc.assert(
    fc.property(fc.array(fc.tuple(url, fc.array(url))), (rows) => {
      const given = rows.map(([page, hints]) => [page, hints.map((hint) => to(hint))] as const);
      const { map } = table(Object.fromEntries(given));
      for (const line of map) {
        expect(line).toMatch(/^"[\x21\x23-\x5b\x5d-\x7e]+" "[\x20\x21\x23\x25-\x5b\x5d-\x7e]+";$/);
        expect(line.length).toBeLessThan(4000);
      }
    }),
  );
});
