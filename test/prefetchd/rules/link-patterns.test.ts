// Rules for all links of a page leave out at least what the deny list denies. URLPattern is Node's own.

import { describe, expect, it } from 'vitest';
import { denyList } from '../../../prefetchd/rules/deny-list.ts';
import { checkLinkPatterns, deniedLinkPatterns } from '../../../prefetchd/rules/link-patterns.ts';
import { phrasesOf } from '../../../prefetchd/rules/url-words.ts';

declare const URLPattern: new (pattern: string, base: string) => { test(url: string): boolean };

const site = 'https://example.org';

function leavesOut(deny = {}): (url: string) => boolean {
  const patterns = deniedLinkPatterns(deny).map((pattern) => new URLPattern(pattern, site));
  return (url) => patterns.some((pattern) => pattern.test(site + url));
}

const isLeftOut = (url: string, deny = {}) => leavesOut(deny)(url);

describe('links that no rule prefetches', () => {
  const phrases = [...phrasesOf('acts'), ...phrasesOf('places'), ...phrasesOf('alone')];
  const words = phrases.flatMap((phrase) => [phrase, phrase.replaceAll('-', '')]);
  const around = [
    (word: string) => `/${word}`,
    (word: string) => `/shop/${word}`,
    (word: string) => `/shop/${word}/5`,
    (word: string) => `/my-${word}`,
    (word: string) => `/user_${word}.php`,
    (word: string) => `/${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  ];

  it('all that the deny list denies, word by word', () => {
    const isDenied = denyList();
    const isOut = leavesOut();
    for (const word of words) {
      for (const place of around) {
        const url = place(word);
        if (isDenied(url, 'document')) expect(isOut(url), url).toBe(true);
      }
    }
  });

  it.each([
    ...['/log-out', '/sign_off', '/add-to-cart/7', '/deleteAccount', '/delete-account'],
    ...[
      '/logOut',
      '/Add_To_Cart',
      '/%6cogout',
      '/mon-compte',
      '/monCompte',
      '/korzina',
      '/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4',
    ],
    ...['/a?b=1', '/?x', '/files/report.pdf.zip', '/photo.jpg', '/feed.rss'],
  ])('%s', (url) => expect(isLeftOut(url)).toBe(true));

  it.each(['/', '/news/2024/05/a-title', '/how-to-undelete', '/baggage', '/category/bags'])(
    'but not %s',
    (url) => expect(isLeftOut(url)).toBe(false),
  );

  it('the words and paths of the site, in addition or in place of the list', () => {
    const extra = { extra: ['secret', '/inner/'] };
    expect(isLeftOut('/inner/x', extra)).toBe(true);
    expect(isLeftOut('/inner', extra)).toBe(true);
    expect(isLeftOut('/innermost', extra)).toBe(false);
    expect(isLeftOut('/the-secret-door', extra)).toBe(true);
    expect(isLeftOut('/logout', extra)).toBe(true);
    const replace = { replace: ['secret'] };
    expect(isLeftOut('/secret', replace)).toBe(true);
    expect(isLeftOut('/logout', replace)).toBe(false);
  });
});

it('a regular expression is refused, since no rule can contain one', () => {
  expect(() => checkLinkPatterns({ extra: ['word', /secret/] })).toThrow(
    'deny must be words and paths alone if otherLinks is not off, not /secret/',
  );
  expect(() => checkLinkPatterns({ extra: ['word', '/path'] })).not.toThrow();
});
