// Turns a parsed line into an access, or drops it for a reason that is counted. An access is a GET answered with 2xx or
// 304 (either way, the client then has the page), of a page or an object (access-kind.ts), from a client that filter.ts
// accepts as a visitor. A client is identified by address and user agent, or by the address alone if the log has no
// user agent. A prefetch (Sec-Purpose, Purpose, X-Moz) is an access marked as one.

import { ownText, TextMemo } from '../../process/text-memo.ts';
import { type Access, type AccessKind, shownByRules } from '../access.ts';
import { isNoPage, kindOfLine, kindOfPath, kindOfTarget } from '../rules/access-kind.ts';
import { saysNoIndex } from '../rules/eligibility.ts';
import {
  type AgentVerdict,
  MarkedClients,
  type PathVerdict,
  verdictOfPath,
  verdictOfUserAgent,
} from '../rules/filter.ts';
import { type NavigationStart, refererStart, siteName } from '../rules/navigation-start.ts';
import { pageOfRulesTarget } from '../rules/page-of-rules.ts';
import type { LogLine } from './log-format.ts';
import type { LogSettings } from './log-options.ts';

/** Why a parsed line is not an access; of several reasons, the one that is checked first counts. */
export const lineDropReasons = [
  'no-request',
  'other-host',
  'monitor',
  'bot',
  'scan',
  'admin',
  'method',
  'status',
  'private',
  'noindex',
  'not-page',
] as const;

export type LineDropReason = (typeof lineDropReasons)[number];

const maxUrls = 32_768;
const maxUserAgents = 8192;
const maxAddresses = 32_768;
const maxHosts = 1000;
const longestIdentity = 512;

interface TargetFacts {
  url: string;
  /** Host (with a non-default port) of an absolute target; empty for a path. */
  host: string;
  kind: AccessKind;
  /** True if the target is a download or a feed. */
  isNoPage: boolean;
  verdict: PathVerdict;
}

interface AgentFacts {
  /** The part of the user agent that tells clients apart; undefined if the log has no user agents. */
  identity: string | undefined;
  verdict: AgentVerdict;
}

const noAgent: AgentFacts = { identity: undefined, verdict: 'visitor' };

export class AccessMaker {
  readonly #rules: LogSettings;
  readonly #keepsHost: boolean;
  readonly #hosts: Map<string, number>;
  readonly #wantedHost: string | undefined;
  /** True if accesses name their host, by which the engine distinguishes sites. */
  readonly #namesHost: boolean;
  readonly #targets: TextMemo<TargetFacts | 'none'>;
  readonly #agents: TextMemo<AgentFacts>;
  readonly #addresses = new TextMemo((address) => address.slice(0, longestIdentity), maxAddresses);
  #marked = new MarkedClients();

  /** @param keepsHost true if the accesses get absolute URLs @param hosts receives the number of lines of each of the
   *  first thousand hosts */
  constructor(rules: LogSettings, keepsHost: boolean, hosts: Map<string, number>) {
    const { filter, asPaper, host } = rules;
    this.#rules = rules;
    this.#keepsHost = keepsHost;
    this.#hosts = hosts;
    this.#wantedHost = host === null ? undefined : siteName(host);
    this.#namesHost = !asPaper && !keepsHost && host === null;
    this.#targets = new TextMemo((target) => this.#factsOf(target), maxUrls);
    this.#agents = new TextMemo((logged) => {
      const userAgent = decodedAgent(logged);
      const verdict = filter ? verdictOfUserAgent(userAgent) : 'visitor';
      return { identity: userAgent.slice(0, longestIdentity), verdict };
    }, maxUserAgents);
  }

  accessOf(line: LogLine): Access | LineDropReason {
    const { filter, signs } = this.#rules;
    const target = this.#targets.get(this.#targetOf(line));
    if (target === 'none') return 'no-request';
    const host = line.host === undefined ? target.host : siteName(line.host);
    if (host !== '') {
      const lines = this.#hosts.get(host);
      if (lines !== undefined) this.#hosts.set(host, lines + 1);
      else if (this.#hosts.size < maxHosts) this.#hosts.set(ownText(host), 1);
      if (this.#wantedHost !== undefined && host !== this.#wantedHost) return 'other-host';
    }
    const agent = line.userAgent === undefined ? noAgent : this.#agents.get(line.userAgent);
    if (agent.verdict !== 'visitor') return agent.verdict;
    const address = this.#addresses.get(line.address);
    const client = agent.identity === undefined ? address : `${address} ${agent.identity}`;
    // Text browsers, like robots, fetch no images or styles. In a log without user agents they cannot be told apart, so
    // a client that fetches none is not taken for a robot.
    const kind = agent.identity === undefined ? undefined : target.kind;
    const reason = filter ? this.#marked.judge(client, target.verdict, line, kind) : undefined;
    if (reason !== undefined) return reason;
    if (line.method !== 'GET') return 'method';
    if (!((line.status >= 200 && line.status < 300) || line.status === 304)) return 'status';
    if (line.isPrivate) return 'private';
    const access = this.#accessOf(line, target, client);
    if (access === null) return 'not-page';
    if (this.#namesHost && host !== '') access.host = host;
    const isPage = access.kind === 'document' && !access.shown;
    if (!isPage || line.robotsTag === undefined || !saysNoIndex(line.robotsTag)) return access;
    // A service that follows a log (it sets `signs`) stops hinting a page whose response has `noindex`; a command that
    // reads a whole log only leaves the line out.
    return signs ? { ...access, noindex: true } : 'noindex';
  }

  /** Forgets all clients, including those marked as bots or scanners. */
  forgetClients(): void {
    this.#addresses.clear();
    this.#marked = new MarkedClients();
  }

  /** Returns the access of a line; null if the line asks for neither a page nor an object of one. */
  #accessOf(line: LogLine, target: TargetFacts, client: string): Access | null {
    if (isForRules(line)) return this.#rules.signs ? this.#signOf(line, client) : null;
    const judged = kindOfLine(line, target.kind, target.isNoPage);
    const kind = judged === 'not-page' && this.#rules.asPaper ? 'document' : judged;
    if (kind === 'not-page') return null;
    const access: Access = {
      client,
      url: target.url,
      timeMs: line.timeMs,
      kind,
      status: line.status,
      bytes: line.bytes,
      prefetch: isPrefetch(line),
    };
    if (line.durationMs !== undefined) access.durationMs = line.durationMs;
    const isStart = kind === 'document' && !this.#rules.asPaper;
    if (!isStart && !this.#rules.signs) return access;
    const { start, page } = this.#refererOf(line);
    if (start !== undefined && isStart) access.entry = start === 'elsewhere';
    if (!this.#rules.signs) return access;
    if (page !== undefined) access.page = page;
    if (access.prefetch && line.fetchDestination !== undefined) {
      access.byRules = line.fetchDestination === 'document';
    }
    return access;
  }

  #signOf(line: LogLine, client: string): Access | null {
    const own = pageOfRulesTarget(line.url);
    const named =
      own === null ? undefined : this.#targets.get(this.#targetOf({ ...line, url: own }));
    if (named === 'none' || isPrefetch(line)) return null;
    const page = named?.url ?? this.#refererOf(line).page;
    return page === undefined ? null : shownByRules({ client, url: page, timeMs: line.timeMs });
  }

  /** Returns where a navigation began, according to the Referer, if the host is known; and the page that the Referer
   *  names, if that is of this site. */
  #refererOf({ referer = '', host = this.#wantedHost ?? '' }: LogLine): {
    start?: NavigationStart;
    page?: string;
  } {
    if (referer === '' || host === '') return {};
    const page = URL.parse(referer);
    const start = refererStart(page, host);
    if (page === null || start === 'elsewhere') return { start };
    const path = page.pathname + page.search;
    const url = this.#rules.normalise(this.#keepsHost ? page.origin + path : path);
    return url === null ? { start } : { start, page: url };
  }

  #targetOf(line: LogLine): string {
    if (!this.#keepsHost || line.host === undefined || !line.url.startsWith('/')) return line.url;
    return `${line.secure ? 'https' : 'http'}://${line.host}${line.url}`;
  }

  /**
   * Returns what is known of a target; `none` if it is not the URL of a page (`*`, an authority for CONNECT, garbage).
   */
  #factsOf(target: string): TargetFacts | 'none' {
    const { asPaper, normalise } = this.#rules;
    const absolute = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
    if (absolute === null && !target.startsWith('/')) return 'none';
    const path = absolute === null ? target : absolute.pathname + absolute.search;
    const url = normalise(absolute !== null && this.#keepsHost ? absolute.href : path);
    if (url === null) return 'none';
    return {
      url,
      host: absolute?.host ?? '',
      kind: asPaper ? paperKind(path) : kindOfTarget(path),
      isNoPage: !asPaper && isNoPage(path),
      verdict: verdictOfPath(path),
    };
  }
}

/** Decodes a user agent that is percent-encoded, as Akamai and others log it: such a text has no spaces. */
function decodedAgent(text: string): string {
  if (text.includes(' ') || !/%20|%2F/i.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isPrefetch({ purpose }: LogLine): boolean {
  return purpose !== undefined && /prefetch|prerender|preview/i.test(purpose);
}

/** Returns whether a line is a request for speculation rules. Over plain HTTP browsers send no Sec-Fetch-Dest, so there
 *  the URL or the type of the response decides. */
function isForRules({ fetchDestination, contentType, url }: LogLine): boolean {
  if (fetchDestination !== undefined && fetchDestination !== '') {
    return fetchDestination === 'speculationrules';
  }
  const isOwn = url.endsWith('prefetchd-rules') && pageOfRulesTarget(url) !== null;
  return isOwn || contentType?.startsWith('application/speculationrules') === true;
}

/** Returns `document` or `object` for a URL by its path, as Padmanabhan 1995 does (`asPaper`); feeds are objects. */
function paperKind(pathAndQuery: string): AccessKind {
  const [path = ''] = pathAndQuery.split(/[?#]/, 1);
  return /\.(?:rss|atom)$/i.test(path) ? 'object' : kindOfPath(path);
}
