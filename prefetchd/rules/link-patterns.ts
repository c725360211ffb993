// The deny list as URL patterns, for rules that let a browser prefetch any link of a page. The patterns can express less
// than the list (deny-list.ts), so they leave out more: every link with a query, and every part of a path that begins
// with a word of an action or contains a word of a place.

import { PrefetchdError } from '../errors.ts';
import { normaliseDefaults } from '../normalise-url.ts';
import { noPageExtensions } from './access-kind.ts';
import type { DenyListOptions, UrlPattern } from './deny-list.ts';
import { actionWords, placeWords, wholeWords } from './deny-words.ts';

/** Paths in which a word, after / or a separator, begins with one of these. */
const beginning = (words: string) => `/((?:.*[\\-_.\\/])?(?:${words}).*)`;
/** Paths with one of these as a word. */
const whole = (words: string) => `/((?:.*[\\-_.\\/])?(?:${words})(?:[\\-_.\\/].*)?)`;

/** Actions of several words. */
const compounds =
  '[Ll]og[\\-_](?:out|off)|[Ss]ign[\\-_](?:out|off)|[Oo]pt[\\-_]out|[Aa]dd[\\-_]to[\\-_]';

/**
 * Patterns (URL Pattern Standard) of links that must not be prefetched, for `href_matches`. `allow` has no effect, and
 * no pattern can contain a regular expression (checkLinkPatterns).
 */
export function deniedLinkPatterns({ extra = [], replace = null }: DenyListOptions = {}): string[] {
  const builtIn =
    replace === null
      ? [
          beginning(`${spelled(actionWords)}|${compounds}`),
          whole(spelled([...placeWords, ...wholeWords])),
          `/*.(${noPageExtensions.join('|')})`,
        ]
      : replace.flatMap(patternsOf);
  return ['/*\\?(.+)', ...builtIn, ...extra.flatMap(patternsOf)];
}

/** Links that their author marked. */
export const deniedLinkSelectors = 'a[rel~="nofollow"], a[download], .no-prefetch, .no-prefetch a';

/**
 * For sites that let browsers prefetch any link.
 * @throws PrefetchdError `invalid-option` if a browser could not obey the deny list
 */
export function checkLinkPatterns({ extra = [], replace = null }: DenyListOptions = {}): void {
  const expression = [...extra, ...(replace ?? [])].find((pattern) => pattern instanceof RegExp);
  if (expression === undefined) return;
  const rule = 'deny must be words and paths alone if otherLinks is not off';
  throw new PrefetchdError('invalid-option', `${rule}, not ${String(expression)}`);
}

function patternsOf(pattern: UrlPattern): string[] {
  if (pattern instanceof RegExp) return [];
  if (!pattern.startsWith('/')) return [beginning(spelled([pattern]))];
  const path = escaped(pattern.replace(/\/$/, '').slice(0, normaliseDefaults.maxCharacters));
  return [`${path}{/*}?`];
}

/** URL patterns distinguish capital letters. */
function spelled(words: Iterable<string>): string {
  return [...words]
    .map((word) =>
      word.toLowerCase().replace(/^[a-z]/, (first) => `[${first}${first.toUpperCase()}]`),
    )
    .join('|');
}

function escaped(path: string): string {
  return encodeURI(path).replace(/[{}()*+?:\\]/g, '\\$&');
}
