// Decides by its URL whether a document with a query may be learned (`query: 'evidence'`). On many sites the page is in
// the query (index.php?option=com_content&view=article&id=7), but a query may also act, contain a secret, or contain
// text that a person typed. The URL is only one of the conditions: the page is hinted once five clients fetched it
// (model/graph/graph.ts), if its responses are 200, HTML, set no cookie and are not private (eligibility.ts,
// server/hints/report-access.ts).
//
// Everything is allowed that is not denied, since nobody can list the names of all pages. Denied are, in this order:
//   size      more than 256 characters, or more than 8 parameters
//   spelling  control characters, invalid or repeated escapes, quotes, brackets (a[]=1), a name given twice, a name
//             that begins with _ or is longer than 40 characters: servers read these differently, or use them inside
//   names     with a word that acts or is private (action, token, email), of search (q), of a redirect target (next),
//             of another format or a preview (words.ts), or denied by the deny list
//   values    that act (edit, reply) or name no page (search, feed): only as first or last word or alone, since a
//             value may be a title
//             that are URLs, paths that begin with / or contain .., or pages named Special:
//             that look like a token, e-mail address or telephone number (opaque-text.ts), or are free text of
//             more than five words
// Names and values are split into words as in the deny list: add-to-cart, addToCart and ADD_TO_CART are equal. & and ;
// separate parameters (SMF uses ;). Pure, and linear in the query, whose length is limited; verdicts are cached,
// because judging a query takes some 10 us.

import { TextMemo } from '../../process/text-memo.ts';
import { isOpaque } from './opaque-text.ts';
import { isDeniedPart, spellings } from './url-words.ts';
import {
  joinedAction,
  nameFragments,
  nameWords,
  valueActions,
  valuePlaces,
  valueWords,
  wholeNames,
} from './words.ts';

const mostCharacters = 256;
export const mostParameters = 8;
const longestName = 40;
const mostTypedWords = 5;

let verdicts: TextMemo<boolean> | null = null;

/** True if a page with this query may be learned. @param query as in the URL, not decoded, without `?` */
export function isPageQuery(query: string): boolean {
  if (query.length > mostCharacters) return false;
  verdicts ??= new TextMemo(isHarmless);
  return verdicts.get(query);
}

/** Returns false if a part of the path acts on what the query names: /compare/add?product=5, /download?id=3. */
export function isPagePath(path: string): boolean {
  return path.split('/').every((part) =>
    spellings(part, isListed).every(([word = '', ...more]) => {
      return more.length > 0 || !(valueActions.has(word) || valueWords.has(word));
    }),
  );
}

function isHarmless(query: string): boolean {
  const pairs = query.split(/[&;]/).filter((pair) => pair !== '');
  if (pairs.length > mostParameters) return false;
  const names = new Set<string>();
  return pairs.every((pair) => {
    const equals = pair.indexOf('=');
    const name = plain(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : plain(pair.slice(equals + 1));
    if (name === null || value === null || names.has(name.toLowerCase())) return false;
    names.add(name.toLowerCase());
    return equals === -1 ? isAllowedAlone(name) : isAllowed(name, value);
  });
}

/** Decodes text once, `+` as a space; null if it hides something: an invalid or repeated escape, or a control code. */
function plain(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replace(/\+/g, ' '));
    return /[\p{C}<>"`{}[\]\\^$]|%[0-9a-f]{2}/iu.test(decoded) ? null : decoded;
  } catch {
    return null;
  }
}

function isAllowed(name: string, value: string): boolean {
  if (!/^[A-Za-z][\w.:-]*$|^\d+$/.test(name) || name.length > longestName) return false;
  if (name === 'q') return isDrupalPath(value);
  return !isDeniedName(name) && !value.startsWith('/') && isAllowedValue(value, name);
}

/** Returns whether a query without `=` may be learned, `?12345-title` or `?/blog/5`, which says which page is meant. */
function isAllowedAlone(text: string): boolean {
  if (/^[_\W]*$|^_/.test(text)) return false;
  return text.split('/').every((part) => !isDeniedName(part)) && isAllowedValue(text, '');
}

/** True for a path in `q`, as Drupal writes it without clean URLs; elsewhere, `q` is what a person searched for. */
function isDrupalPath(value: string): boolean {
  return /^(?:node|taxonomy\/term|forum|book|blog)\/\d{1,9}$/.test(value);
}

function isDeniedName(name: string): boolean {
  const lower = name.toLowerCase();
  if (wholeNames.has(lower) || nameFragments.test(lower.replace(/[^a-z]+/g, ''))) return true;
  const hasWord = spellings(name, isListed).some((words) =>
    words.some((word) => nameWords.has(word) || joinedAction.test(word)),
  );
  return hasWord || isDeniedPart(name) || isOpaque(name);
}

function isAllowedValue(value: string, name: string): boolean {
  if (/[=&#?;]|\.\.|\/\/|^www\./i.test(value)) return false;
  if (
    /^(?:javascript|vbscript|data|file|tel|special|spezial|spécial|especial|speciale|speciaal)\s*:/i.test(
      value,
    )
  ) {
    return false;
  }
  if (value.split(/\s+/).length > mostTypedWords || isOpaque(value)) return false;
  const sorts = /^(?:[a-z]+_){0,3}(?:order|sort)/i.test(name);
  if (/^order$/i.test(name) && /^\d+$/.test(value)) return false; // this value is the number of a purchase
  const parts = value.split(/[/:,|]+/);
  return !parts.some((part) => isDeniedPart(part) || (!sorts && isDeniedValue(part)));
}

function isDeniedValue(part: string): boolean {
  return spellings(part, isListed).some((words) => {
    const first = words[0] ?? '';
    const last = words.at(-1) ?? '';
    if (words.length <= 3 && words.some((word) => joinedAction.test(word))) return true;
    if (valueActions.has(first) || (words.length === 1 && valueWords.has(first))) return true;
    return words.length <= 3 && (valueActions.has(last) || valuePlaces.has(last));
  });
}

function isListed(word: string): boolean {
  return (
    nameWords.has(word) || valueActions.has(word) || valuePlaces.has(word) || valueWords.has(word)
  );
}
