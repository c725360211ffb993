// Decides which requests get no hints, and what is never learned, by pure rules over a request and its response. In
// doubt, nothing is learned or hinted; the worst result is a page without hints. Of several reasons (dropReasons) the
// one that is checked first is reported. Log readers apply the same rules (log/), so both sources yield the same graph.
//
// Choices where a rule could have gone either way:
//   304        is an access: the client has the page and requested it (RFC 9110 15.4.5).
//   206        of an object is an access: a window counts a URL once, however many ranges are requested. Of a document
//              it is a download that is resumed, or a part of one that is shown already: no access.
//   Cookie     is no reason to drop, because sites with analytics send one with every request. A response that sets
//              one, or is private, concerns one person and is dropped.
//   Save-Data  the access is learned, but gets no hints (the client asked for fewer bytes).
//   frames     are learned as objects of the surrounding page and get no hints.
//   cross-site a document reached from another site is a normal entry, which follows nothing (navigation-start.ts); an
//              object embedded by another site is dropped. `same-site` (a sister host) is accepted.
//   prefetches are not learned but get hints: a prefetched page is shown with the fields it came with, and the next
//              page would otherwise have no hints (Chromium 156: every second page).
//   noindex    a site that keeps a document from search engines means it for those who have its address. Embedded files
//              are exempt: sites send it for whole folders to keep images out of image search.
//   Vary: *    the response fits no other request (RFC 9110 12.5.5), so prefetching it is useless.
//   queries    are no reason to drop a request: normalise-url.ts decides what is learned of them, and mayHintRule
//              (deny-list.ts) what is hinted.
//
// The rules run on every request of a site, so verdicts about user agents and URLs are cached (bounded).

import { CacheDirectives } from '../../http/cache-directives.ts';
import { joinedLines } from '../../http/field-syntax.ts';
import { TextMemo } from '../../process/text-memo.ts';
import type { AccessKind } from '../access.ts';
import { siteOf } from '../normalise-url.ts';
import { isStyleSheet, kindOfTarget } from './access-kind.ts';
import { type DenyListOptions, denyList, type UrlRule } from './deny-list.ts';
import { type AgentVerdict, verdictOfPath, verdictOfUserAgent } from './filter.ts';
import { type NavigationStart, navigationStart } from './navigation-start.ts';

/** Why nothing is learned or hinted, in the order in which the reasons are checked; but a request for a part of a page
 *  is found to be `not-page` right after `url`. */
export const dropReasons = [
  // These reasons are found in the request, which is neither learned nor hinted unless a line says otherwise.
  'method', // the method is not GET
  'gpc', // the visitor sends Sec-GPC: 1, which `respectGpc` respects: nothing is learned; the request gets hints
  'prefetch', // the request is a prefetch (Sec-Purpose, Purpose, X-Moz); it gets hints, and is learned once shown
  'url', // the target is neither a path nor an http URL: *, //host/path
  'cross-origin', // the request is for another host, or for an object embedded by another site
  'monitor', // the client is a monitoring program, or the path a health check
  'bot', // the client is a robot by its user agent, or because it requests robots.txt
  'scan', // the path is one that vulnerability scanners try
  'admin', // the path belongs to the administration of the site
  'authorization', // the request has Authorization, so its response is for one person
  'denied', // the URL is on the deny list
  'nested', // the request is for a frame; it is learned, but gets no hints
  'save-data', // the request has Save-Data: on; it is learned, but gets no hints
  // These reasons are found in the response.
  'status', // the status is neither 2xx nor 304
  'set-cookie', // the response has Set-Cookie, so it is for one person
  'private', // the response has Cache-Control: private, qualified or not
  'no-store', // the response has Cache-Control: no-store
  'vary', // the response has Vary: *, so it fits no other request
  'noindex', // the response of a document has X-Robots-Tag: noindex
  'not-page', // the document is a download, a feed, data, or a part (206)
] as const;

export type DropReason = (typeof dropReasons)[number];

/** Header fields by lower-case name, as in node:http. */
export type HeaderFields = Readonly<
  Record<string, string | number | readonly string[] | undefined>
>;

export interface RequestFacts {
  method: string;
  /** The request target: a path and query, or an absolute URL. */
  url: string;
  headers: HeaderFields;
}

export interface Eligibility {
  /** Why this access is not learned; null: it is learned if its response permits. */
  learn: DropReason | null;
  /** Why the response to this access gets no hints; null: it gets hints if the response permits. */
  hint: DropReason | null;
}

export interface EligibilityOptions {
  /** Origin of the site, `https://example.com`: requests for other hosts are dropped. null: an absolute target is
   *  compared with the Host field. */
  origin?: string | null;
  /** URLs that are neither learned nor hinted because of their names. */
  deny?: DenyListOptions;
  /** True: nothing is learned from visitors who send Sec-GPC: 1 (Global Privacy Control). */
  respectGpc?: boolean;
}

export interface EligibilityRules {
  host: string | null;
  respectGpc: boolean;
  isDenied: UrlRule;
  agents: TextMemo<AgentVerdict>;
}

const keptAgents = 2000;

/**
 * Checks and prepares the options once, not for each request.
 * @throws PrefetchdError `invalid-option`
 */
export function eligibilityRules(options: EligibilityOptions = {}): EligibilityRules {
  const { origin = null, deny, respectGpc = false } = options;
  const site = origin === null ? null : siteOf(origin);
  const host = site === null ? null : hostOf(site.host, site.protocol);
  const agents = new TextMemo(verdictOfUserAgent, keptAgents);
  return { host, respectGpc, isDenied: denyList(deny), agents };
}

/** Returns why a path is neither learned nor hinted: it shows that the client is no visitor but a robot, a scanner or
 *  the like (filter.ts), or else the deny list names it. The caller gives `authorization` precedence over `denied`. */
function reasonOfPath(path: string, kind: AccessKind, isDenied: UrlRule): DropReason | null {
  const verdict = verdictOfPath(path);
  if (verdict !== 'visited') return verdict === 'robots' ? 'bot' : verdict;
  return isDenied(path, kind) ? 'denied' : null;
}

const defaultRules = eligibilityRules();

/**
 * Returns whether a request is learned and gets hints, as far as is known before its response. Never throws.
 * @param kind result of `kindOfRequest`, if known
 */
export function judgeRequest(
  request: RequestFacts,
  rules = defaultRules,
  kind = kindOfRequest(request.headers, request.url),
): Eligibility {
  const both = reasonOfRequest(request, rules, kind);
  const { headers } = request;
  const isGuess = both !== 'method' && isPrefetch(headers);
  const isOut = rules.respectGpc && both !== 'method' && hasOptedOut(headers);
  const learn = isOut ? 'gpc' : isGuess ? 'prefetch' : both;
  if (both !== null) return { learn, hint: both };
  if (isFrame(headers)) return { learn, hint: 'nested' };
  if (/^\s*on\b/i.test(field(headers, 'save-data'))) return { learn, hint: 'save-data' };
  return { learn, hint: null };
}

function reasonOfRequest(
  request: RequestFacts,
  rules: EligibilityRules,
  kind: AccessKind,
): DropReason | null {
  const { method, url, headers } = request;
  if (method !== 'GET') return 'method';
  const target = targetOf(url);
  if (target === null) return 'url';
  if (isForPart(headers)) return 'not-page';
  if (isOfAnotherHost(target, headers, rules)) return 'cross-origin';
  if (kind === 'object' && isEmbeddedElsewhere(headers, rules)) return 'cross-origin';
  const userAgent = field(headers, 'user-agent');
  // A client without a user agent is a robot, because every browser sends one.
  const agent = userAgent === '' ? 'bot' : rules.agents.get(userAgent);
  if (agent !== 'visitor') return agent;
  const path = reasonOfPath(target.path, kind, rules.isDenied);
  if (path !== null && path !== 'denied') return path;
  return field(headers, 'authorization') === '' ? path : 'authorization';
}

/** Judges a response: returns why it is neither learned nor given hints, or null. Never throws. */
export function judgeResponse(response: {
  status: number;
  headers: HeaderFields;
  /** Whether the request was for a document or for an embedded object; default: a document. */
  kind?: AccessKind;
}): DropReason | null {
  const { status, headers, kind = 'document' } = response;
  if (status !== 304 && !(status >= 200 && status <= 299)) return 'status';
  if (field(headers, 'set-cookie') !== '') return 'set-cookie';
  const reason = reasonsOfCaching.get(joinedLines(headers['cache-control']));
  if (reason !== null) return reason;
  if (
    field(headers, 'vary')
      .split(',')
      .some((name) => name.trim() === '*')
  )
    return 'vary';
  const robots = kind === 'document' ? headers['x-robots-tag'] : undefined;
  return robots !== undefined && saysNoIndex(textOf(robots)) ? 'noindex' : null;
}

/** Returns whether X-Robots-Tag says `noindex` or `none`, for all robots or for one: `googlebot: noindex, nofollow`. */
export function saysNoIndex(robotsTag: string): boolean {
  return /(?:^|[,:])[ \t]*(?:noindex|none)[ \t]*(?:,|$)/i.test(robotsTag);
}

/** Why Cache-Control forbids learning; null: it does not. A field of more than 4,096 characters must be an attack, so
 *  it counts as `no-store`. */
const reasonsOfCaching = new TextMemo((cacheControl) => {
  if (cacheControl.length > longestField) return 'no-store';
  const directives = new CacheDirectives(cacheControl);
  if (directives.has('private')) return 'private';
  return directives.has('no-store') ? 'no-store' : null;
}, 500);

const purposeFields = ['sec-purpose', 'x-sec-purpose', 'purpose', 'x-moz', 'x-purpose'];
const prefetching = /\b(?:prefetch|prerender|preview)\b/i;

/**
 * Returns whether the client prefetches instead of visiting: `Sec-Purpose: prefetch`, with or without `;prerender`
 * (Fetch 3.2), its predecessors Purpose, X-Moz and X-Purpose, or X-Sec-Purpose, which scripts send (Turbo).
 */
export function isPrefetch(headers: HeaderFields): boolean {
  return purposeFields.some((name) => prefetching.test(field(headers, name)));
}

/** Returns true if speculation rules caused a prefetch (`Sec-Fetch-Dest: document`), false if a Link header did
 *  (`empty`); undefined: unknown. */
export function isByRules(headers: HeaderFields): boolean | undefined {
  const destination = field(headers, 'sec-fetch-dest').trim().toLowerCase();
  if (destination === 'document') return true;
  return destination === 'empty' ? false : undefined;
}

/** Returns whether a browser asks for the speculation rules of the page that it shows (Prefetch 5: destination). */
export function isForRules(headers: HeaderFields): boolean {
  return field(headers, 'sec-fetch-dest').trim().toLowerCase() === 'speculationrules';
}

/** Returns whether the visitor asks not to be tracked (Global Privacy Control). */
export function hasOptedOut(headers: HeaderFields): boolean {
  return field(headers, 'sec-gpc').trim() === '1';
}

/** Returns the host that the request is for; undefined: the request names none. */
export function hostOfRequest(headers: HeaderFields): string | undefined {
  return field(headers, ':authority') || field(headers, 'host') || undefined;
}

/** Returns whether the navigation began on a page of this site; undefined: the request does not tell. */
export function startOfRequest(
  headers: HeaderFields,
  { host }: Pick<EligibilityRules, 'host'> = defaultRules,
): NavigationStart | undefined {
  const [site, referer] = [field(headers, 'sec-fetch-site'), field(headers, 'referer')];
  return navigationStart(site, referer, host ?? hostOfRequest(headers) ?? '');
}

/** Returns whether a page of this origin may have sent a POST by script; browsers send Origin with each POST. */
export function isOfOwnPage(headers: HeaderFields, rules: EligibilityRules): boolean {
  const site = field(headers, 'sec-fetch-site').trim();
  if (site !== '') return site === 'same-origin';
  const from = field(headers, 'origin') || field(headers, 'referer');
  return startOfRequest({ ...headers, referer: from }, rules) !== 'elsewhere';
}

/** Returns whether another site embeds the object. A Referer that is a style sheet of another host does not prove
 *  it. */
function isEmbeddedElsewhere(headers: HeaderFields, rules: EligibilityRules): boolean {
  const site = field(headers, 'sec-fetch-site');
  if (site !== '') return /^\s*cross-site\b/i.test(site);
  const isOfPage = !isStyleSheet(field(headers, 'referer'));
  return isOfPage && startOfRequest(headers, rules) === 'elsewhere';
}

/** Returns whether a person clicked or typed the address (Fetch Metadata 2.4); programs rarely send the field. */
export function isUserActivated(headers: HeaderFields): boolean {
  return field(headers, 'sec-fetch-user').trim() === '?1';
}

const frames = /^\s*(?:iframe|frame|fencedframe|embed|object)\s*$/i;

function isFrame(headers: HeaderFields): boolean {
  return frames.test(field(headers, 'sec-fetch-dest'));
}

/**
 * Classifies a request as document or embedded object, by the best evidence: Sec-Fetch-Dest (`document` is a
 * document, anything else an object, frames included; `empty` on a prefetch says nothing); an Accept that prefers
 * HTML, or only images or styles; the extension of the path (access-kind.ts).
 */
export function kindOfRequest(headers: HeaderFields, url: string): AccessKind {
  const destination = field(headers, 'sec-fetch-dest').trim().toLowerCase();
  if (destination === 'document') return 'document';
  // A `rel=prefetch` request sends `empty`, because its use is not known yet; so do scripts and service workers.
  const isOpen =
    destination === '' ||
    (destination === 'empty' && (isPrefetch(headers) || isVisitByScript(headers)));
  if (!isOpen) return 'object';
  const accept = field(headers, 'accept').slice(0, 1024).toLowerCase();
  if (htmlType.test(accept)) return 'document';
  if (/^\s*(?:image\/|text\/css\b|font\/|audio\/|video\/)/.test(accept)) return 'object';
  return kindOfTarget(targetOf(url)?.path ?? url);
}

const htmlType = /\b(?:text\/html|application\/xhtml\+xml)\b/i;

/** Returns whether a script of the site requests a page (Turbo, Unpoly), or a service worker passes a visit on. */
function isVisitByScript(headers: HeaderFields): boolean {
  const mode = field(headers, 'sec-fetch-mode').trim().toLowerCase();
  const asksForPage = htmlType.test(field(headers, 'accept').slice(0, 1024));
  return asksForPage && (mode === 'navigate' || startOfRequest(headers) === 'here');
}

/**
 * Returns whether a script requests a part of a page, which no visitor opens: htmx (unless it wants a whole page, as
 * for boosted links), Turbo frames, pjax, Inertia, or any script that declares an XMLHttpRequest.
 */
export function isForPart(headers: HeaderFields): boolean {
  if (headers['hx-request'] !== undefined) {
    return (
      headers['hx-boosted'] === undefined && headers['hx-history-restore-request'] === undefined
    );
  }
  return (
    headers['x-requested-with'] !== undefined ||
    headers['turbo-frame'] !== undefined ||
    headers['x-pjax'] !== undefined ||
    headers['x-inertia'] !== undefined
  );
}

/** Returns whether a request for a document asks for a page to show; false if only its path suggests a document. */
export function isNavigation(headers: HeaderFields): boolean {
  const destination = field(headers, 'sec-fetch-dest').trim().toLowerCase();
  if (destination === 'document') return true;
  const mode = field(headers, 'sec-fetch-mode').trim().toLowerCase();
  if (destination === 'empty' && mode !== 'navigate') return false;
  return htmlType.test(field(headers, 'accept').slice(0, 1024));
}

const longestClient = 512;

/**
 * Returns the client: address and user agent as one string of at most 512 characters, as in the log readers. An
 * IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes the IPv4 address.
 */
export function clientOf(address: string, userAgent: string | undefined): string {
  const own = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  const client = userAgent === undefined || userAgent === '' ? own : `${own} ${userAgent}`;
  return client.slice(0, longestClient);
}

interface Target {
  path: string;
  /** Host of an absolute target; null: the Host field names the host. */
  host: string | null;
  protocol: string;
}

function targetOf(url: string): Target | null {
  if (url.startsWith('/')) {
    const namesHost = /^\/[\t\n\r]*[/\\]/.test(url);
    return namesHost ? null : { path: url, host: null, protocol: 'http:' };
  }
  const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  if (parsed === null) return null;
  const { host, protocol } = parsed;
  return { path: parsed.pathname + parsed.search, host: hostOf(host, protocol), protocol };
}

/** Returns whether the request is for another host. An absolute target takes precedence over Host (RFC 9112 3.2.2). */
function isOfAnotherHost(target: Target, headers: HeaderFields, rules: EligibilityRules): boolean {
  if (target.host === null && rules.host === null) return false;
  const named = hostOfRequest(headers) ?? '';
  const asked = target.host ?? (named === '' ? null : hostOf(named, target.protocol));
  const own = rules.host ?? (named === '' ? null : hostOf(named, target.protocol));
  return asked !== null && own !== null && asked !== own;
}

/** Returns host and port in canonical form. The visitor's scheme is unknown here, so both :80 and :443 are removed. */
function hostOf(host: string, protocol: string): string {
  const parsed = /[/?#@\\\s]/.test(host) ? null : URL.parse(`${protocol}//${host}`);
  return parsed === null ? host : parsed.host.replace(/:(?:80|443)$/, '');
}

/** Longest part of a header field that is examined, characters; relevant values are short. */
const longestField = 4096;

function field(headers: HeaderFields, name: string): string {
  const value = headers[name];
  return value === undefined ? '' : textOf(value);
}

function textOf(value: string | number | readonly string[]): string {
  if (typeof value === 'string' && value.length <= longestField) return value;
  return joinedLines(value).slice(0, longestField);
}
