// Who gets no hints, and what is never learned: pure rules over a request and its response. The consensus
// of the field is deny by default, so in doubt nothing is learned and nothing hinted; the worst that
// comes of it is a page without hints. One reason is given, the first that holds, in the order of
// dropReasons. The log's readers drop by the same rules (log/), so a graph is the same learned from
// either.
//
// Decided here, where a rule could have gone either way:
//   304        is an access: the client has the page, and asked for it (RFC 9110 15.4.5). 206 too: a part
//              of it was wanted, and a window counts a URL once however many parts are asked for.
//   Cookie     is no reason: a site with statistics sends one with every request. A response that sets
//              one, or says private, is about one person, and is.
//   Save-Data  the access is learned, the hints stay away (the client asked for fewer bytes).
//   frames     are learned as objects of the page around them and get no hints: what comes next is the
//              page's to say.
//   cross-site a document reached from another site is an entrance like any other; an object that
//              another site embeds says nothing of our pages. `same-site` (a sister host) is ours.
//   prefetches are not learned, and get hints: a page that is fetched ahead is shown with the fields it came
//              with, and without hints it would be the end of a walk (Chromium 156: every second page).
//   Vary: *    the response can be used for no other request (RFC 9110 12.5.5): prefetching it is waste.
//   queries    of a request are no reason: normalise-url.ts has the rule for what is learned of them,
//              mayHintRule (deny-list.ts) for what is hinted.
//
// These rules run on every request of a site, so verdicts about user agents and paths, which repeat, are
// kept (bounded), and nothing is parsed that one look at a character settles.

import { CacheDirectives } from '../../http/cache-directives.ts';
import { joinedLines } from '../../http/field-syntax.ts';
import { oneOf } from '../../options/kinds.ts';
import { checked } from '../../options/options.ts';
import { TextMemo } from '../../process/text-memo.ts';
import { VerdictMemo } from '../../process/verdict-memo.ts';
import type { AccessKind } from '../access.ts';
import { invalidOption } from '../errors.ts';
import { siteOf } from '../normalise-url.ts';
import { kindOfPath } from './access-kind.ts';
import { type AgentVerdict, verdictOfUserAgent } from './bots.ts';
import { type DenyListOptions, denyList, type UrlRule } from './deny-list.ts';
import { verdictOfPath } from './filter.ts';

/** Why nothing is learned or hinted, in the order in which a reason is looked for. */
export const dropReasons = [
  // of a request
  'method', // no GET
  'prefetch', // the client is guessing itself: Sec-Purpose, Purpose, X-Moz, X-Purpose; gets hints
  'url', // no path and no http URL: *, //host/path
  'cross-origin', // of another host, or an object that another site embeds
  'monitor', // a program that watches the site, or its health check
  'bot', // by user agent, or asking for robots.txt
  'scan', // a path that is tried for a hole
  'admin', // the administration of the site
  'authorization', // the answer is for one person
  'denied', // by the deny list
  'nested', // a frame: gets no hints
  'save-data', // Save-Data: on: gets no hints
  // of a response
  'status', // neither 2xx nor 304
  'set-cookie',
  'private', // Cache-Control: private, qualified or not
  'no-store', // Cache-Control: no-store
  'vary', // Vary: *
] as const;

export type DropReason = (typeof dropReasons)[number];

/** Fields by name in lower case, as node:http gives them. */
export type HeaderFields = Readonly<
  Record<string, string | number | readonly string[] | undefined>
>;

export interface RequestFacts {
  method: string;
  /** The request target: a path and query, or an absolute URL. */
  url: string;
  headers: HeaderFields;
}

export interface Verdict {
  /** Why this access is not learned; null: it is, if its response allows it. */
  learn: DropReason | null;
  /** Why its response gets no hints; null: it does, if it allows it. */
  hint: DropReason | null;
}

export interface EligibilityOptions {
  /** Origin of the site, `https://example.com`: requests for other hosts are dropped. null: an absolute
   *  target is held against the Host field. */
  origin?: string | null;
  /** What a client without User-Agent is; no browser is one. */
  absentUserAgent?: 'bot' | 'visitor';
  /** What is neither learned nor hinted by its name. */
  deny?: DenyListOptions;
}

export interface EligibilityRules {
  host: string | null;
  absentUserAgent: 'bot' | 'visitor';
  isDenied: UrlRule;
  agents: TextMemo<AgentVerdict>;
  /** What speaks against a path with its query. */
  documents: VerdictMemo<DropReason | null>;
  objects: VerdictMemo<DropReason | null>;
}

export const absentUserAgentKind = oneOf(['bot', 'visitor']);

const keptAgents = 2000;
const memoSlots = 2048;

/**
 * Options, checked and made ready; once, not for each request.
 * @throws PrefetchdError `invalid-option`
 */
export function eligibilityRules(options: EligibilityOptions = {}): EligibilityRules {
  const { origin = null, absentUserAgent = 'bot', deny } = options;
  checked(absentUserAgentKind, absentUserAgent, invalidOption, { name: 'absentUserAgent' });
  const site = origin === null ? null : siteOf(origin);
  const host = site === null ? null : hostOf(site.host, site.protocol);
  const isDenied = denyList(deny);
  const paths = (kind: AccessKind) => new VerdictMemo((path) => reasonOfPath(path, kind, isDenied));
  return {
    host,
    absentUserAgent,
    isDenied,
    agents: new TextMemo(verdictOfUserAgent, keptAgents, memoSlots),
    documents: paths('document'),
    objects: paths('object'),
  };
}

/** Authorization comes between these two, but says nothing of a path: what is denied stays so. */
function reasonOfPath(path: string, kind: AccessKind, isDenied: UrlRule): DropReason | null {
  const verdict = verdictOfPath(path);
  if (verdict !== 'visited') return verdict === 'robots' ? 'bot' : verdict;
  return isDenied(path, kind) ? 'denied' : null;
}

const defaultRules = eligibilityRules();

/**
 * What a request alone tells. Never throws.
 * @param kind what `kindOfRequest` says of it, if it is known
 */
export function judgeRequest(
  request: RequestFacts,
  rules = defaultRules,
  kind = kindOfRequest(request.headers, request.url),
): Verdict {
  const both = reasonOfRequest(request, rules, kind);
  const { headers } = request;
  const isGuess = both !== 'method' && isPrefetch(headers);
  if (both !== null) return { learn: isGuess ? 'prefetch' : both, hint: both };
  const learn = isGuess ? 'prefetch' : null;
  if (isFrame(headers)) return { learn, hint: 'nested' };
  const saveData = field(headers, 'save-data');
  if (saveData !== '' && /^\s*on\b/i.test(saveData)) return { learn, hint: 'save-data' };
  return isGuess ? guess : welcome;
}

const welcome: Verdict = Object.freeze({ learn: null, hint: null });
const guess: Verdict = Object.freeze({ learn: 'prefetch', hint: null });

function reasonOfRequest(
  request: RequestFacts,
  rules: EligibilityRules,
  kind: AccessKind,
): DropReason | null {
  const { method, url, headers } = request;
  if (method !== 'GET') return 'method';
  const target = targetOf(url);
  if (target === null) return 'url';
  if (isOfAnotherHost(target, headers, rules)) return 'cross-origin';
  if (kind === 'object' && /^\s*cross-site\b/i.test(field(headers, 'sec-fetch-site'))) {
    return 'cross-origin';
  }
  const userAgent = field(headers, 'user-agent');
  const agent = userAgent === '' ? rules.absentUserAgent : rules.agents.get(userAgent);
  if (agent !== 'visitor') return agent;
  const path = (kind === 'document' ? rules.documents : rules.objects).of(target.path);
  if (path !== null && path !== 'denied') return path;
  return field(headers, 'authorization') === '' ? path : 'authorization';
}

/** What a response tells: null, or why it is neither learned nor given hints. Never throws. */
export function judgeResponse(response: {
  status: number;
  headers: HeaderFields;
}): DropReason | null {
  const { status, headers } = response;
  if (status !== 304 && !(status >= 200 && status <= 299)) return 'status';
  if (field(headers, 'set-cookie') !== '') return 'set-cookie';
  const cacheControl = headers['cache-control'];
  if (cacheControl !== undefined) {
    const reason = cachingReasons.get(joinedLines(cacheControl));
    if (reason !== '') return reason;
  }
  const vary = field(headers, 'vary');
  const isAny = vary.includes('*') && vary.split(',').some((name) => name.trim() === '*');
  return isAny ? 'vary' : null;
}

const longestCacheControl = 4096;

/** A site has few Cache-Control fields; one of more than 4,096 characters nobody means well. */
const cachingReasons = new TextMemo<DropReason | ''>(
  (text) => {
    if (text.length > longestCacheControl) return 'no-store';
    const directives = new CacheDirectives(text);
    return directives.has('private') ? 'private' : directives.has('no-store') ? 'no-store' : '';
  },
  500,
  256,
);

/**
 * The client guesses instead of visiting: `Sec-Purpose: prefetch`, with `;prerender` or without
 * (Fetch 3.2), and its forerunners Purpose, X-Moz and X-Purpose.
 */
export function isPrefetch(headers: HeaderFields): boolean {
  return (
    saysPrefetch(headers['sec-purpose']) ||
    saysPrefetch(headers.purpose) ||
    saysPrefetch(headers['x-moz']) ||
    saysPrefetch(headers['x-purpose'])
  );
}

function saysPrefetch(purpose: HeaderFields[string]): boolean {
  if (purpose === undefined) return false;
  return /\b(?:prefetch|prerender|preview)\b/i.test(textOf(purpose));
}

const frames = /^\s*(?:iframe|frame|fencedframe|embed|object)\s*$/i;

function isFrame(headers: HeaderFields): boolean {
  const destination = field(headers, 'sec-fetch-dest');
  return destination !== '' && destination !== 'document' && frames.test(destination);
}

/**
 * Document or embedded object? By the best evidence, in this order: Sec-Fetch-Dest (`document` is one,
 * anything else is not, frames included; `empty` of a prefetch says nothing); an Accept that asks for HTML,
 * or for a picture or style alone; the extension of the path (log/access-kind.ts).
 */
export function kindOfRequest(headers: HeaderFields, url: string): AccessKind {
  const named = field(headers, 'sec-fetch-dest');
  if (named === 'document') return 'document';
  const destination = named.trim().toLowerCase();
  if (destination === 'document') return 'document';
  // A `rel=prefetch` link is fetched for nobody's use yet, and says so: `empty`.
  const isOpen = destination === '' || (destination === 'empty' && isPrefetch(headers));
  if (!isOpen) return 'object';
  const asked = field(headers, 'accept');
  // As browsers begin.
  if (asked.startsWith('text/html,')) return 'document';
  const accept = asked.slice(0, 1024).toLowerCase();
  if (/\b(?:text\/html|application\/xhtml\+xml)\b/.test(accept)) return 'document';
  if (/^\s*(?:image\/|text\/css\b|font\/|audio\/|video\/)/.test(accept)) return 'object';
  return kindOfPath((targetOf(url)?.path ?? url).replace(/[?#].*$/s, ''));
}

const longestClient = 512;

/**
 * Who asks: address and user agent as one string of at most 512 characters, as the log's readers make it.
 * An IPv4 address that an IPv6 socket shows (`::ffff:192.0.2.1`) is the IPv4 address.
 */
export function clientOf(address: string, userAgent: string | undefined): string {
  const own = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  const client = userAgent === undefined || userAgent === '' ? own : `${own} ${userAgent}`;
  return client.slice(0, longestClient);
}

interface Target {
  path: string;
  /** Of an absolute target; null: the Host field says it. */
  host: string | null;
  protocol: string;
}

function targetOf(url: string): Target | null {
  if (url.startsWith('/')) {
    const isPlain = url.length === 1 || isLetterOrDigit(url.charCodeAt(1));
    const namesHost = !isPlain && /^\/[\t\n\r]*[/\\]/.test(url);
    return namesHost ? null : { path: url, host: null, protocol: 'http:' };
  }
  const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  if (parsed === null) return null;
  const { host, protocol } = parsed;
  return { path: parsed.pathname + parsed.search, host: hostOf(host, protocol), protocol };
}

function isLetterOrDigit(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57);
}

/** A server that is asked with an absolute target goes by it and not by Host (RFC 9112 3.2.2). */
function isOfAnotherHost(target: Target, headers: HeaderFields, rules: EligibilityRules): boolean {
  if (target.host === null && rules.host === null) return false;
  const named = field(headers, ':authority') || field(headers, 'host');
  if (target.host === null && named === rules.host) return false;
  const asked = target.host ?? (named === '' ? null : hostOf(named, target.protocol));
  const own = rules.host ?? (named === '' ? null : hostOf(named, target.protocol));
  return asked !== null && own !== null && asked !== own;
}

/** Host and port in one spelling. The scheme of a request is not known here, so :80 and :443 go. */
function hostOf(host: string, protocol: string): string {
  const parsed = /[/?#@\\\s]/.test(host) ? null : URL.parse(`${protocol}//${host}`);
  return parsed === null ? host : parsed.host.replace(/:(?:80|443)$/, '');
}

/** Long fields are looked at only so far: what matters here is short. */
const longestField = 4096;

function field(headers: HeaderFields, name: string): string {
  const value = headers[name];
  return value === undefined ? '' : textOf(value);
}

function textOf(value: string | number | readonly string[]): string {
  if (typeof value === 'string' && value.length <= longestField) return value;
  return joinedLines(value).slice(0, longestField);
}
