// Decides by a URL's name whether it may be hinted. Prefetching a logout, cart or delete link does harm, and a missing
// hint only costs a little speed: so doubtful URLs are denied, but not titles that merely contain such a word.
//
// Percent-encoding is decoded until nothing changes (%6cogout, %256cogout). The URL is then split into parts (path
// segments, query names and values, parameters), and each part into words (url-words.ts). The lists of words.ts, in
// twenty-five languages and more, say which words deny:
// - An act (delete) denies a part that begins with it, or ends with it after at most two words: /delete-account,
//   /user_delete.php, not /how-to-delete-files.
// - A place (cart) denies a part equal to it, or ending with it after at most two words: /my-cart, ?add-to-cart=5,
//   not /cart-racing, not /category.
// - Words alone (vote) deny only a part equal to them.
// Words without meaning around a listed word are ignored: /login-page, /CartController.
//
// Downloads and feeds (access-kind.ts) are denied as documents: they open no page, and prefetching one would cost more
// than it saves.
//
// Paths that belong to one person, such as /order/8127, are denied too (private-path.ts).
//
// For embedded images, styles and fonts only the folders are checked, because fetching /icons/delete.svg does
// nothing. Every step is linear in the URL, whose length is limited.

import { any, anyOf, listOf, orNull, text } from '../../options/kinds.ts';
import {
  checked,
  type Kind,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
} from '../../options/options.ts';
import { TextMemo } from '../../process/text-memo.ts';
import { type AccessKind, longestUrl } from '../access.ts';
import { invalidOption } from '../errors.ts';
import { type QueryRule, queryMayBeHinted, usualQuery } from '../normalise-url.ts';
import { isNoPage } from './access-kind.ts';
import { isPageQuery } from './page-query.ts';
import { type PrivateReason, privatePart } from './private-path.ts';
import { decoded, isDeniedPart } from './url-words.ts';
import { formsOf } from './word-forms.ts';

/**
 * `/path` matches this path and all paths below it. `word` matches URLs in which a path segment or the name or value
 * of a parameter begins or ends with this word, as the built-in `delete` does. A RegExp is tested on the decoded path
 * and query; it must run in linear time, on at most 2,048 characters.
 */
export type UrlPattern = string | RegExp;

const word = text({
  rule: 'a word of letters, or a path that begins with /',
  pattern: /^(?:\/|[\p{L}\p{M}_-]*\p{L}[\p{L}\p{M}_-]*$)/u,
});
const pattern = anyOf(
  [any<RegExp>((value) => value instanceof RegExp, 'a RegExp'), word],
  'a word of letters, a path that begins with / or a RegExp',
);
const patterns = listOf(pattern, 'a list of patterns');
const written = listOf(word, 'a list of words and paths');

export const denyLists = {
  /** Patterns of URLs that are denied in addition to those with the default words. */
  extra: optionWithoutDefault(patterns, {
    flag: '--deny <pattern>',
    help: 'never learn or hint URLs with this word or below this /path; repeatable',
    written,
  }),
  /** Patterns of URLs that are denied in place of those with the default words; an empty list denies nothing. */
  replace: optionWithoutDefault(orNull(() => patterns, {})),
  /** Patterns of URLs that are never denied, whatever the default words, `extra` and `replace` contain. */
  allow: optionWithoutDefault(patterns, {
    flag: '--allow <pattern>',
    help: 'exception to the built-in and given denials; repeatable',
    written,
  }),
};

export type DenyListOptions = OptionsOf<typeof denyLists>;

export const denyKind: Kind<DenyListOptions> = objectOf(denyLists);

/** For prefetchd and `hints()`. */
export const denyTable = {
  /**
   * URLs that are neither learned nor hinted: `{ extra, replace, allow }`, lists of words, paths and regular
   * expressions that are added to the built-in list, used in its place, or exempt from it.
   */
  deny: option(denyKind, {}),
};

export type UrlRule = (url: string, kind: AccessKind) => boolean;

/** Why a URL is denied: by a word or pattern, as it opens no page, as its encoding hides its words, or as private. */
export type DenyReason = 'word' | 'no-page' | 'unreadable' | PrivateReason;

/** The verdict on a URL. `unclear`: it is hinted only once many clients fetched it, as evidence that it is public.
 *  null: it is allowed. */
export type UrlVerdict = DenyReason | 'unclear' | null;

/**
 * Returns a function that checks whether a URL (a path, or absolute) is denied.
 * @throws PrefetchdError `invalid-option`
 */
export function denyList(options: DenyListOptions = {}): UrlRule {
  const verdictOf = urlRule(options);
  return (url, kind) => {
    const verdict = verdictOf(url, kind);
    return verdict !== null && verdict !== 'unclear';
  };
}

/**
 * Returns a function that returns why a URL is denied; `unclear`: it may be public, if many clients fetch it; null: it
 * is not denied. It remembers results, because each takes microseconds and every access needs one. @throws
 * PrefetchdError `invalid-option`
 */
export function urlRule(
  options: DenyListOptions = {},
): (url: string, kind: AccessKind) => UrlVerdict {
  const given = checked(denyKind, options, invalidOption, { inside: 'deny' });
  const { extra = [], replace = null, allow = [] } = given;
  const denied = matcher(replace === null ? extra : [...replace, ...extra]);
  const allowed = matcher(allow);
  const verdictOf = (url: string, kind: AccessKind): UrlVerdict => {
    const judged = pathAndQuery(url);
    const text = judged.length > longestUrl ? null : decoded(judged);
    if (text === null || /(?:^|[/\\])\.\.(?:[/\\?#]|$)/.test(text)) return 'unreadable';
    const parts = partsOf(text, kind);
    if (allowed(text, parts)) return null;
    if (denied(text, parts)) return 'word';
    if (replace !== null) return null;
    if (parts.some((part) => isDeniedPart(part))) return 'word';
    if (kind === 'document' && isNoPage(text)) return 'no-page';
    const path = decodedPath(judged);
    if (hasSecret(text) || (kind === 'document' && !hasPageMatrix(path))) return 'token';
    return privatePart(path, kind)?.reason ?? null;
  };
  const documents = new TextMemo((url) => verdictOf(url, 'document'));
  const objects = new TextMemo((url) => verdictOf(url, 'object'));
  return (url, kind) => (kind === 'document' ? documents : objects).get(url);
}

export interface NameRuleOptions {
  query: QueryRule;
  deny: DenyListOptions;
  /** Origin of the site; null: URLs of any origin are learned. */
  origin: string | null;
}

/** Why a URL is excluded for its text alone. `query`: the query may contain personal data (normalise-url.ts). */
export type NameReason = 'cross-origin' | 'query' | 'denied';

export interface NameRule {
  /** Returns why a normalised URL must be neither learned nor hinted, judged by its text alone; null: it may be. */
  reasonOf: (url: string, kind: AccessKind) => NameReason | null;
  /** True for a page that many clients must fetch before it is hinted, because it has a query or an id in its path. */
  needsEvidence: (url: string, kind: AccessKind) => boolean;
}

/** Makes the rule that judges URLs by their text alone. @throws PrefetchdError `invalid-option` */
export function nameRule({ query, deny, origin }: NameRuleOptions): NameRule {
  const queryIsAllowed = queryMayBeHinted(query);
  const verdictOf = urlRule(deny);
  return {
    reasonOf: (url, kind) => {
      if (origin !== null && url.charCodeAt(0) !== 47) return 'cross-origin';
      if (!queryIsAllowed(url, kind)) return 'query';
      const verdict = verdictOf(url, kind);
      return verdict === null || verdict === 'unclear' ? null : 'denied';
    },
    needsEvidence: (url, kind) => {
      if (kind !== 'document') return false;
      return (query === 'evidence' && url.includes('?')) || verdictOf(url, kind) === 'unclear';
    },
  };
}

/**
 * Makes a `mayHint` for predictors, which returns true if origin, query rule and deny list all permit the URL.
 * @throws PrefetchdError `invalid-option`
 */
export function mayHintRule(options: Partial<NameRuleOptions> = {}): UrlRule {
  const { query = usualQuery, deny = {}, origin = null } = options;
  const { reasonOf } = nameRule({ query, deny, origin });
  return (url, kind) => reasonOf(url, kind) === null;
}

/** Returns whether a text has a parameter, in a query or elsewhere, that is named as sessions and signatures are. */
function hasSecret(text: string): boolean {
  if (!text.includes('=')) return false;
  const names = text.split(/[/\\?#&;:]/).flatMap((part) => part.split('=').slice(0, -1));
  return names.some((name) => secretNames.test(name.slice(-64).replace(/[^A-Za-z0-9]+/g, '')));
}

const secretNames =
  /^(?:\w*sess(?:ion)?(?:id|key|hash)|aspsessionid\w*|sess|[a-z]?sid|zenid|oscsid|cfid|cftoken|\w*signature|sig|hmac|\w*credential|googleaccessid|keypairid|awsaccesskeyid|hdn(?:ea|ts|tl)|apikey|jwt|nonce|[cx]srf\w*|secret)$/i;

/** Returns whether all matrix parameters of a path (`/page;a=1`) would be allowed as the query of a page. */
function hasPageMatrix(path: string): boolean {
  return [...path.matchAll(/;([^/\\;=]+=[^/\\;]*)/g)].every(([, pair = '']) => isPageQuery(pair));
}

/** Returns the decoded path of a URL; an escaped `?` does not end the path. */
function decodedPath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  return decoded(path) ?? path;
}

function pathAndQuery(url: string): string {
  const afterHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0;
  return url.slice(afterHost);
}

/** Names of files that are only displayed: fetching such a file does nothing, whatever it is called. */
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

function matcher(patterns: readonly UrlPattern[]): (text: string, parts: string[]) => boolean {
  const tests = patterns.map(testOf);
  return (text, parts) => tests.some((test) => test(text, parts));
}

/** Returns the spellings of an entry of the deny list that is a word; [] if it is a path instead. */
function wantedWords(text: string): string[] {
  return /^[\p{L}\p{M}_-]*\p{L}[\p{L}\p{M}_-]*$/u.test(text)
    ? formsOf(text.replace(/[_-]+/g, ''))
    : [];
}

function testOf(pattern: UrlPattern): (text: string, parts: string[]) => boolean {
  if (pattern instanceof RegExp) {
    // The flags g and y are removed, because with them a test would begin where the last match ended.
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
  const lists = { acts: new Set(wanted), places: none, alone: none };
  return (_, parts) => parts.some((part) => isDeniedPart(part, lists));
}

const none: ReadonlySet<string> = new Set();
