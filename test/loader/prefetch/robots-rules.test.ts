// robots.txt as RFC 9309 has it; what it leaves open, as the large crawlers do it.

import { describe, expect, test } from 'vitest';
import { parseRobots, productToken } from '../../../loader/prefetch/robots-rules.ts';

const forAll = (...rules: string[]) => ['User-agent: *', ...rules].join('\n');
const allows = (text: string, target: string, token = 'loadahead') =>
  parseRobots(text, token).allows(target);

describe('the longest rule that matches decides (2.2.2)', () => {
  test.each([
    ['nothing said', '', '/x', true],
    ['an empty Disallow', forAll('Disallow:'), '/x', true],
    ['all', forAll('Disallow: /'), '/x', false],
    ['a prefix', forAll('Disallow: /a'), '/abc', false],
    ['not in the middle', forAll('Disallow: /a'), '/b/a', true],
    ['case counts', forAll('Disallow: /A'), '/a', true],
    ['the longer one', forAll('Disallow: /a', 'Allow: /a/b'), '/a/b/c', true],
    ['in any order', forAll('Allow: /a/b', 'Disallow: /a'), '/a/b/c', true],
    ['the longer one denies', forAll('Allow: /a', 'Disallow: /a/b'), '/a/b/c', false],
    ['allow on a tie', forAll('Allow: /a', 'Disallow: /a'), '/a', true],
    ['on a tie, in any order', forAll('Disallow: /a', 'Allow: /a'), '/a', true],
    ['octets, not characters', forAll('Disallow: /ツ', 'Allow: /*xxxx'), '/ツxxxx', false],
    ['a wildcard', forAll('Disallow: /a*b*c'), '/axxbyyc/d', false],
    ['a wildcard needs all', forAll('Disallow: /a*b*c'), '/axxcyyb', true],
    ['pieces do not overlap', forAll('Disallow: /ab*ba$'), '/aba', true],
    ['the end', forAll('Disallow: /*.gif$'), '/a.gif', false],
    ['not the end', forAll('Disallow: /*.gif$'), '/a.gif?x', true],
    ['the end, without a wildcard', forAll('Disallow: /a$'), '/ab', true],
    ['the end after a wildcard', forAll('Disallow: /a*$'), '/abc', false],
    ['queries', forAll('Disallow: /*?'), '/x?y', false],
    ['$ in the middle is itself', forAll('Disallow: /a$b'), '/a$b', false],
    ['what is no path says nothing', forAll('Disallow: a'), '/a', true],
  ])('%s', (_, text, target, allowed) => {
    expect(allows(text, target)).toBe(allowed);
  });
});

describe('in one spelling (2.2.2)', () => {
  test.each([
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar'],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
    ['/foo/bar/baz', '/foo/bar/%62%61%7A'],
    ['/file-with-a-%2A.html', '/file-with-a-*.html'],
    ['/foo-%24', '/foo-$'],
    ['/a:b@c', '/a%3Ab%40c'],
    ['/%zz', '/%zz'],
    ['/\ud800x', '/%EF%BF%BDx'],
  ])('%s is %s', (rule, target) => {
    expect(allows(forAll(`Disallow: ${rule}`), target)).toBe(false);
    expect(allows(forAll(`Disallow: ${rule}`), '/other')).toBe(true);
  });

  test('an escaped slash is none in a path, and an escaped wildcard none in a rule', () => {
    expect(allows(forAll('Disallow: /a%2fb'), '/a/b')).toBe(true);
    expect(allows(forAll('Disallow: /a%2Ab'), '/axb')).toBe(true);
  });
});

describe('whose rules (2.2.1)', () => {
  test.each([
    [
      'ours before those for all',
      'User-agent: *\nDisallow: /\n\nUser-agent: LoadAhead\nAllow: /',
      true,
    ],
    ['ours, though they say nothing', 'User-agent: *\nDisallow: /\n\nUser-agent: loadahead', true],
    ['with a version', 'User-agent: loadahead/1.0\nDisallow: /', false],
    ['not of a longer name', 'User-agent: loadaheadbot\nDisallow: /', true],
    ['not of a shorter name', 'User-agent: load\nDisallow: /', true],
    [
      'of all groups that name us',
      'User-agent: loadahead\nDisallow: /b\n\nUser-agent: x\nAllow: /\n\nUser-agent: loadahead\nDisallow: /a',
      false,
    ],
    [
      'one group for several',
      'User-agent: x\nUser-agent: loadahead\nUser-agent: y\nDisallow: /',
      false,
    ],
    [
      'other lines between',
      'User-agent: x\nCrawl-delay: 5\nSitemap: /s\n\nUser-agent: loadahead\nDisallow: /',
      false,
    ],
    [
      'rules end a group',
      'User-agent: loadahead\nDisallow: /a/b\nUser-agent: x\nDisallow: /',
      true,
    ],
    ['rules before any group', 'Disallow: /\nUser-agent: *\nAllow: /', true],
    ['comments', 'user-AGENT : * # all\ndisallow\t:\t/a # not this', false],
    ['a byte order mark', '\ufeffUser-agent: *\nDisallow: /', false],
    ['CR alone', 'User-agent: *\rDisallow: /', false],
    ['HTML', '<html><body>User-agent</body></html>', true],
  ])('%s', (_, text, allowed) => {
    expect(allows(text, '/a')).toBe(allowed);
  });

  test('a client goes by the product its User-Agent begins with', () => {
    expect(productToken('LoadAhead/0.1 (x)')).toBe('loadahead');
    expect(productToken('')).toBe('');
    expect(allows('User-agent: 1\nDisallow: /', '/a', '')).toBe(true);
  });
});

test('more rules than anyone writes: nothing is allowed', () => {
  expect(allows(forAll(...Array<string>(10_001).fill('Allow: /')), '/a')).toBe(false);
});

test('hostile wildcards cost no more than their length', () => {
  const rule = `Disallow: /${'*a'.repeat(50_000)}b`;
  const before = process.cpuUsage().user;
  for (let turn = 0; turn < 10; turn++) allows(forAll(rule), `/${'a'.repeat(2_000)}`);
  // (A search that goes back takes more than a lifetime.)
  expect((process.cpuUsage().user - before) / 1000).toBeLessThan(5_000);
});
