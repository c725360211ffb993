// Writes the deny list as URL patterns, for rules that let a browser prefetch any link of a page. The patterns can
// express less than the list (deny-list.ts), so they leave out more: every link with a query or an escape, and every
// part of a path that begins with a word of an act or contains a word of a place. Equal beginnings of words are merged,
// as the patterns are part of each page's rules: 24 KB instead of 38, 9 KB compressed.

import { about } from '../../options/refusal.ts';
import { longestUrl } from '../access.ts';
import { invalidOption } from '../errors.ts';
import { noPageExtensions } from './access-kind.ts';
import type { DenyListOptions, UrlPattern } from './deny-list.ts';
import { phrasesOf } from './url-words.ts';
import { formsOf } from './word-forms.ts';

/** Returns a pattern for paths with a word, after / or a separator, that begins with one of `words`. */
const beginning = (words: string) => `/((?:.*[\\-_.\\/])?(?:${words}).*)`;
/** Returns a pattern for paths with one of `words` as a whole word. */
const whole = (words: string) => `/((?:.*[\\-_.\\/])?(?:${words})(?:[\\-_.\\/].*)?)`;

/**
 * Returns patterns (URL Pattern Standard) of links that must not be prefetched, for `href_matches` in speculation
 * rules. The deny list's `allow` has no effect, and it must contain no regular expression (checkLinkPatterns).
 */
export function deniedLinkPatterns({ extra = [], replace = null }: DenyListOptions = {}): string[] {
  const builtIn =
    replace === null
      ? [
          beginning(spelled([...phrasesOf('acts'), 'add-to'], 'any')),
          whole(spelled([...phrasesOf('places'), ...phrasesOf('alone')], 'none')),
          `/*.(${noPageExtensions.join('|')})`,
        ]
      : replace.flatMap(patternsOf);
  return ['/*\\?(.+)', '/(.*%.*)', ...builtIn, ...extra.flatMap(patternsOf)];
}

/** Returns which links must not be prefetched: URL patterns, made when first needed, and CSS selectors of links that
 *  the author of the page marked. */
export function exceptedLinks(deny?: DenyListOptions) {
  let patterns: string[] | null = null;
  return {
    get patterns() {
      patterns ??= deniedLinkPatterns(deny);
      return patterns;
    },
    selectors: 'a[rel~="nofollow"], a[download], .no-prefetch, .no-prefetch a',
  };
}

/**
 * Checks a deny list for sites that let browsers prefetch any link.
 * @throws PrefetchdError `invalid-option` if a browser could not obey the deny list
 */
export function checkLinkPatterns({ extra = [], replace = null }: DenyListOptions = {}): void {
  const expression = [...extra, ...(replace ?? [])].find((pattern) => pattern instanceof RegExp);
  if (expression === undefined) return;
  const rule = 'must be words and paths alone if otherLinks is not off';
  invalidOption(...about('deny', `${rule}, not ${String(expression)}`));
}

function patternsOf(pattern: UrlPattern): string[] {
  if (pattern instanceof RegExp) return [];
  if (!pattern.startsWith('/')) {
    const words = spelled(formsOf(pattern), 'any');
    return words === '' ? [] : [beginning(words)]; // words beyond ASCII are escapes in links: `/(.*%.*)` covers them
  }
  const path = escaped(pattern.replace(/\/$/, '').slice(0, longestUrl));
  return [`${path}{/*}?`];
}

/**
 * Returns a regular expression that matches any of the given words and hyphenated phrases. Each word may begin with a
 * capital, because URL patterns are case-sensitive.
 * @param after What may follow a word; with `any`, a word also stands for all that begin with it
 */
function spelled(phrases: readonly string[], after: 'any' | 'none'): string {
  const plain = phrases.filter((phrase) => /^[a-z0-9_-]+$/i.test(phrase));
  const words = [...new Set(plain.map((phrase) => phrase.toLowerCase().replaceAll('_', '-')))];
  return words.length === 0 ? '' : branches(words, after, true);
}

function branches(ends: readonly string[], after: 'any' | 'none', isStart: boolean): string {
  if (after === 'any' && ends.includes('')) return '';
  const texts = [...Map.groupBy(ends, (end) => end.charAt(0))].map(([first, all]) => {
    if (first === '') return '';
    const letter = isStart ? first.replace(/[a-z]/, `[${first}${first.toUpperCase()}]`) : first;
    const rest = all.map((end) => end.slice(1));
    return (first === '-' ? '.?' : letter) + branches(rest, after, first === '-');
  });
  return texts.length === 1 ? (texts[0] ?? '') : `(?:${texts.join('|')})`;
}

function escaped(path: string): string {
  return encodeURI(path).replace(/[{}()*+?:\\]/g, '\\$&');
}
