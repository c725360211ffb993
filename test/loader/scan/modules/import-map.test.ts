// HTML 8.1.6: import maps and module specifiers.

import { describe, expect, it, test } from 'vitest';
import { ImportMap } from '../../../../loader/scan/modules/import-map.ts';
import { lookUpsOf } from '../look-ups.ts';

const base = new URL('http://a.test/dir/page.html');

function mapOf(...maps: unknown[]): ImportMap {
  const map = new ImportMap();
  for (const each of maps) map.add(typeof each === 'string' ? each : JSON.stringify(each), base);
  return map;
}

describe('without a map', () => {
  it.each([
    ['./a.js', 'http://a.test/dir/a.js'],
    ['../a.js', 'http://a.test/a.js'],
    ['/a.js', 'http://a.test/a.js'],
    ['//b.test/a.js', 'http://b.test/a.js'],
    ['https://b.test/a.js', 'https://b.test/a.js'],
    ['a.js', null],
    ['@scope/name', null],
    ['', null],
  ])('%j means %j', (specifier, url) => {
    expect(mapOf().resolve(specifier, base)).toBe(url);
  });
});

describe('with one', () => {
  const map = mapOf({
    imports: {
      moment: '/node_modules/moment/index.js',
      'lodash/': './lodash/src/',
      'lodash/fp/': '/fp/',
      './here.js': '/there.js',
      'https://cdn.test/x.js': '/x.js',
      refused: null,
      bare: 'nowhere',
      'noslash/': '/file.js',
      '': '/empty.js',
    },
    scopes: {
      '/old/': { moment: '/old/moment.js' },
      '/old/deep/': { moment: '/deep.js' },
      '/exact.js': { moment: '/only.js' },
    },
  });
  it.each([
    ['moment', '/node_modules/moment/index.js'],
    ['lodash/map.js', '/dir/lodash/src/map.js'],
    ['lodash/fp/map.js', '/fp/map.js'],
    ['lodash/../../secret.js', null],
    ['lodash', null],
    ['./here.js', '/there.js'],
    ['https://cdn.test/x.js', '/x.js'],
    ['refused', null],
    ['bare', null],
    ['noslash/a.js', null],
    ['', null],
    ['other', null],
  ])('%j means %j', (specifier, path) => {
    const url = path && `http://a.test${path}`;
    expect(map.resolve(specifier, base)).toBe(url);
  });

  it.each([
    ['/old/a.js', '/old/moment.js'],
    ['/old/deep/a.js', '/deep.js'],
    ['/exact.js', '/only.js'],
    ['/exact.js.js', '/node_modules/moment/index.js'],
  ])('in the scope of %s, moment means %s', (from, path) => {
    expect(map.resolve('moment', new URL(from, base))).toBe(`http://a.test${path}`);
  });
});

test('the first rule counts, in the first map', () => {
  const map = mapOf({ imports: { a: '/1.js' } }, { imports: { a: '/2.js', b: '/3.js' } });
  expect(['a', 'b'].map((name) => map.resolve(name, base))).toEqual([
    'http://a.test/1.js',
    'http://a.test/3.js',
  ]);
});

it.each([
  '',
  'x',
  '[]',
  'null',
  '{"imports": []}',
  '{"imports": {"a": 1}, "scopes": {"/": 2}}',
  '{"scopes": {"http://[": {}}}',
])('a map that is wrong does no harm: %s', (text) => {
  expect(mapOf(text).resolve('a', base)).toBeNull();
  expect(mapOf(text).resolve('./a', base)).toBe('http://a.test/dir/a');
});

test('the longest of prefixes in prefixes counts, of specifiers and of scopes (HTML 8.1.6.1)', () => {
  const map = mapOf({
    imports: { 'a/': '/1/', 'a/b/': '/2/', 'http://c.test/': '/3/', './d/': '/4/' },
    scopes: { '/s/': { 'a/': '/5/' }, '/s/t/': { x: '/6.js' } },
  });
  const from = (specifier: string, path: string) =>
    map.resolve(specifier, new URL(path, base))?.replace('http://a.test', '');
  expect(from('a/x.js', '/')).toBe('/1/x.js');
  expect(from('a/b/x.js', '/')).toBe('/2/x.js');
  expect(from('http://c.test/x.js', '/')).toBe('/3/x.js');
  expect(from('./d/x.js', '/dir/x.js')).toBe('/4/x.js');
  expect(from('a/b/x.js', '/s/t/x.js')).toBe('/5/b/x.js');
  expect(from('x', '/s/t/x.js')).toBe('/6.js');
  expect(from('x', '/s/tx.js')).toBeUndefined();
});

test('what a specifier costs does not grow with the map, nor with its slashes', () => {
  const many = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}/`, '/x/']));
  const lookUps = (count: number, specifier: string): number => {
    const map = mapOf({
      imports: many(count, 'a'),
      scopes: Object.fromEntries(
        Object.keys(many(count, '/dir/s')).map((scope) => [scope, { 'b/': '/y/' }]),
      ),
    });
    return lookUpsOf(() => map.resolve(specifier, base));
  };
  expect(lookUps(2_000, 'a7/x.js')).toBe(lookUps(20, 'a7/x.js'));
  expect(lookUps(20, 'a/'.repeat(50_000))).toBe(lookUps(20, 'a/'.repeat(500)));
});
