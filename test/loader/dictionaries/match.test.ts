// Which requests a dictionary is for (RFC 9842 2.1.1).

import { expect, it } from 'vitest';
import { compileMatch } from '../../../loader/dictionaries/known-dictionaries.ts';

const dictionary = new URL('https://a.test/docs/one.html');
const fits = (match: string, url: string) =>
  compileMatch(match, dictionary)?.test(new URL(url, dictionary)) ?? null;

it.each([
  ['/docs/*', '/docs/two.html', true],
  ['/docs/*', '/docs/two.html?a=1', true],
  ['/docs/*', '/other/two.html', false],
  ['*.html', '/docs/two.html', true],
  ['/app/:name.js', '/app/main.js', true],
  ['https://a.test/*', '/x', true],
])('%s and %s: %s', (match, url, is) => {
  expect(fits(match, url)).toBe(is);
});

it.each([
  ['of another origin', 'https://b.test/*'],
  ['of every origin', '*://*/*'],
  ['of another port', 'https://a.test:8443/*'],
  ['of another scheme', 'http://a.test/*'],
  ['with a regular expression', '/docs/([a-z]+)'],
  ['with groups that repeat', '/{a*}*'],
  ['with many wildcards', '/*a*a*a*a*a'],
  ['too long', `/${'a'.repeat(2000)}`],
  ['that is none', '/docs/(('],
])('a pattern %s is refused', (_, match) => {
  expect(compileMatch(match, dictionary)).toBeNull();
});

it('no long URL is tried', () => {
  expect(fits('/docs/*', `/docs/${'a'.repeat(2000)}`)).toBe(false);
});
