// Decides by its name whether a URL may be hinted. Prefetching a logout, cart or delete link does harm, and a missing
// hint only costs a little speed: in doubt, deny, but not titles that merely contain such a word.
//
// Percent-encoding is decoded until nothing changes (%6cogout, %256cogout). The URL is then split into parts (path
// segments, query names and values, parameters), and each part into words: log-out, log_out, LogOut, logout.php and
// LoGoUt are all `logout`; numbers and ids are not words.
// - An action (delete) denies a part that begins with it, or ends with it and has at most three words:
//   /delete-account, /user_delete.php, not /how-to-delete-files.
// - A place (cart) denies a part equal to it, or ending with it with at most three words: /my-cart, ?add-to-cart=5,
//   not /cart-racing, not /category.
// - Other words (vote) deny only a part equal to them.
//
// For embedded images, styles and fonts only the folders are checked, because fetching /icons/delete.svg does
// nothing. Every step is linear in the URL, whose length is limited.

import { any, listOf, orNull } from '../../options/kinds.ts';
import { checked, objectOf, optionWithoutDefault, type TableOf } from '../../options/options.ts';
import type { AccessKind } from '../access.ts';
import { invalidOption } from '../errors.ts';
import { normaliseDefaults, type QueryRule, queryMayBeHinted } from '../normalise-url.ts';
import { actionWords, placeWords, wholeWords } from './deny-words.ts';

/** `/path`: this path and all below it. `word`: matched like an action. A RegExp is tested on the decoded path and
 *  query; it must run in linear time, on at most 2,048 characters. */
export type UrlPattern = string | RegExp;

export interface DenyListOptions {
  /** Denied in addition to the default words. */
  extra?: readonly UrlPattern[];
  /** Denied instead of the default words; an empty list denies nothing. */
  replace?: readonly UrlPattern[] | null;
  /** Never denied, whatever the other lists contain. */
  allow?: readonly UrlPattern[];
}

const pattern = any<UrlPattern>(
  isPattern,
  'a word of letters, a path that begins with / or a RegExp',
);
const patterns = listOf(pattern, 'a list of patterns');

export const denyKind = objectOf({
  extra: optionWithoutDefault(patterns, 'Denied besides the default words.'),
  replace: optionWithoutDefault(
    orNull(() => patterns, {}),
    'Denied instead of the default words; an empty list denies nothing.',
  ),
  allow: optionWithoutDefault(patterns, 'Never denied, whatever the others say.'),
} satisfies TableOf<DenyListOptions>);

export type UrlRule = (url: string, kind: AccessKind) => boolean;

/**
 * Returns a function that checks whether a URL (a path, or absolute) is denied.
 * @throws PrefetchdError `invalid-option`
 */
export function denyList(options: DenyListOptions = {}): UrlRule {
  const given = checked(denyKind, options, invalidOption, { inside: 'deny' });
  const { extra = [], replace = null, allow = [] } = given;
  const denied = matcher(replace === null ? extra : [...replace, ...extra]);
  const allowed = matcher(allow);
  return (url, kind) => {
    const text = decoded(pathAndQuery(url));
    if (text === null || /(?:^|[/\\])\.\.(?:[/\\?#]|$)/.test(text)) return true;
    const parts = partsOf(text, kind);
    if (allowed(text, parts)) return false;
    return denied(text, parts) || (replace === null && parts.some(isDeniedPart));
  };
}

/**
 * A `mayHint` for predictors: true if both the query rule and the deny list permit the URL.
 * @throws PrefetchdError `invalid-option`
 */
export function mayHintRule(options: { query?: QueryRule; deny?: DenyListOptions } = {}): UrlRule {
  const queryAllows = queryMayBeHinted(options.query);
  const isDenied = denyList(options.deny);
  return (url, kind) => queryAllows(url, kind) && !isDenied(url, kind);
}

const mostDecodings = 5;

/** Decode until nothing changes; null if too long, or nested so deeply that it must be an attack. */
function decoded(url: string): string | null {
  if (url.length > normaliseDefaults.maxCharacters) return null;
  let text = url;
  for (let round = 0; round < mostDecodings; round++) {
    const next = text.replace(/(?:%[0-9a-f]{2})+/gi, decodedRun);
    if (next === text) return text;
    text = next;
  }
  return null;
}

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    // Invalid UTF-8: decode byte by byte, so that one broken escape hides nothing beside it.
    return run.replace(/%(..)/g, (_, hex: string) => {
      const byte = Number.parseInt(hex, 16);
      return byte < 0x80 ? String.fromCharCode(byte) : '\ufffd';
    });
  }
}

function pathAndQuery(url: string): string {
  const afterHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0;
  return url.slice(afterHost);
}

/** Files that are only displayed: fetching them does nothing, whatever their names. */
const shownFile =
  /\.(?:css|png|gif|jpe?g|jpe|jfif|webp|avif|svg|ico|bmp|woff2?|ttf|otf|mp3|ogg|m4a|mp4|webm)$/i;

function partsOf(text: string, kind: AccessKind): string[] {
  const end = text.search(/[?#;]/);
  const path = end === -1 ? text : text.slice(0, end);
  const isShown = kind === 'object' && shownFile.test(path);
  const judged = isShown ? path.slice(0, path.lastIndexOf('/')) + text.slice(path.length) : text;
  const parts = judged.split(/[/\\?#&=;:,|]+/).filter((part) => part !== '');
  return [...new Set(parts)];
}

function isDeniedPart(part: string): boolean {
  return spellings(part).some((words) => {
    const first = words[0] ?? '';
    const last = words.at(-1) ?? '';
    if (actionWords.has(first)) return true;
    if (words.length <= 3 && (actionWords.has(last) || placeWords.has(last))) return true;
    return words.length === 1 && wholeWords.has(first);
  });
}

/** The words of a part in each reading: with and without extension, with camelCase split or not. */
function spellings(part: string): string[][] {
  const bare = part.includes('.') ? part.replace(/\.[a-z0-9]{1,6}$/i, '') : part;
  const found: string[][] = [];
  for (const text of bare === part || bare === '' ? [part] : [bare, part]) {
    found.push(wordsOf(text));
    const camel = text.replace(/[a-z0-9](?=[A-Z])/g, '$& ');
    if (camel !== text) found.push(wordsOf(camel));
  }
  return found;
}

/** Lower case, without accents; two words that are one in the lists (`log out`) are joined. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const raw of rawWords(text)) {
    const word = isListed(raw) ? raw : raw.replace(/\d{1,3}$/, '');
    if (word === '' || (/\d/.test(raw) && !isListed(word))) continue;
    const pair = (words.at(-1) ?? '') + word;
    if (words.length > 0 && isListed(pair)) words[words.length - 1] = pair;
    else words.push(word);
  }
  return words;
}

function rawWords(text: string): string[] {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  if (isAscii) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function isListed(word: string): boolean {
  return actionWords.has(word) || placeWords.has(word) || wholeWords.has(word);
}

function matcher(patterns: readonly UrlPattern[]): (text: string, parts: string[]) => boolean {
  const tests = patterns.map(testOf);
  return (text, parts) => tests.some((test) => test(text, parts));
}

function isPattern(value: unknown): value is UrlPattern {
  if (typeof value !== 'string') return value instanceof RegExp;
  return value.startsWith('/') || wantedWords(value).length > 0;
}

/** Empty: the pattern is a path. */
function wantedWords(text: string): string[] {
  return /^[\p{L}_-]+$/u.test(text) ? wordsOf(text) : [];
}

function testOf(pattern: UrlPattern): (text: string, parts: string[]) => boolean {
  if (pattern instanceof RegExp) {
    // Without g and y, which keep the position of the last match.
    const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
    return (url) => stateless.test(url);
  }
  const wanted = wantedWords(pattern);
  if (wanted.length === 0) {
    const prefix = (decoded(pattern) ?? pattern).toLowerCase().replace(/\/$/, '');
    return (url) => {
      const lower = url.toLowerCase();
      return lower.startsWith(prefix) && /^(?:[/?#;]|$)/.test(lower.slice(prefix.length));
    };
  }
  const isAt = (words: string[], at: number) =>
    at >= 0 && wanted.every((word, index) => words[at + index] === word);
  return (_, parts) =>
    parts.some((part) =>
      spellings(part).some(
        (words) =>
          isAt(words, 0) || (words.length <= 3 && isAt(words, words.length - wanted.length)),
      ),
    );
}
