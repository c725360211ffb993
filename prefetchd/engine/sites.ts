// Tells apart several sites behind one prefetchd by the host of a request. A hint names a path, which on another host
// is another page or none, and what one site's visitors read is not for those of another.
//
// In the graph, URLs of the main site are paths, as are URLs without a known host (a log in common format, a call
// without `host`); those of other sites begin with `http://host`, whatever their scheme. The main site is the first
// host that `minClients` (k) clients visited. It is a node of the graph itself (`http://host`, without a path), so
// stores and the processes that share them know it. Until there is a main site, hosts that are not known as another
// site are taken for it: what fewer than k clients visited is hinted to nobody.
//
// Anybody can invent hosts. So at most a hundred other sites are learned: a host that k clients visited replaces one
// with fewer.

import { LatestMap } from '../../process/latest-map.ts';
import type { Access } from '../access.ts';
import { siteName } from '../rules/navigation-start.ts';

/** `each`: each host is a site of its own; `one`: all hosts are one site; a list: only these hosts are sites, and the
 *  first is the main site. */
export type SiteRule = 'each' | 'one' | readonly string[];

const mostSites = 100;
/** Limit on remembered hosts with fewer than `minClients` clients, and on remembered spellings of hosts. */
const mostNames = 1000;
const longestHost = 253 + ':65535'.length;

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d*)?$/;

/** Returns the name of a host: lower case, without a default port, a final dot and `www.`; null if it is invalid. All
 *  names of this machine count as one, whatever the port, which may change with each start. */
export function hostName(host: string): string | null {
  if (
    host.length > longestHost ||
    !/^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d*)?$/i.test(host)
  )
    return null;
  const name = siteName(host)
    .replace(/\.?(?::$|$)/, '')
    .replace(/^www\./, '');
  return loopback.test(name) ? 'localhost' : name;
}

/** Returns scheme and host of an absolute URL, as the URL writes them; '' for a path. */
export function originIn(url: string): string {
  return url.charCodeAt(0) === 47 ? '' : (/^https?:\/\/[^/?#\\]*/i.exec(url)?.[0] ?? '');
}

/** Returns the host of an absolute URL; undefined for a path. */
function hostIn(url: string): string | undefined {
  const origin = originIn(url);
  return origin === '' ? undefined : origin.slice(origin.indexOf('//') + 2);
}

export class Sites {
  readonly #rule: SiteRule;
  readonly #minClients: number;
  /** Host name of the main site, whose URLs are paths in the graph; null: not known yet. */
  #main: string | null = null;
  /** Host names of the other learned sites; false: had fewer than `minClients` clients so far, so can be replaced. */
  readonly #others = new Map<string, boolean>();
  /** For each host with fewer than `minClients` clients, the addresses of these clients. */
  readonly #visitors = new LatestMap<string, Set<string>>(mostNames);
  readonly #names = new LatestMap<string, string>(mostNames);

  constructor(rule: SiteRule, minClients: number) {
    this.#rule = rule;
    this.#minClients = minClients;
    if (typeof rule === 'string') return;
    const [main, ...others] = rule.map((host) => hostName(host) ?? host);
    this.#main = main ?? null;
    for (const other of others) this.#others.set(other, true);
  }

  /** URL of the node in the graph that records which host is the main site; null: there is none. */
  get mainNode(): string | null {
    return this.#rule === 'each' && this.#main !== null ? `http://${this.#main}` : null;
  }

  /** Notes the host of a URL that was loaded from the store as a learned site, or as the main site (`mainNode`). */
  restore(url: string): void {
    if (this.#rule !== 'each' || url.charCodeAt(0) === 47) return;
    const origin = originIn(url);
    const host = origin.slice('http://'.length);
    if (origin === url) this.#main = host;
    else if (this.#others.size < mostSites) this.#others.set(host, false);
  }

  /** Returns how URLs of a host begin in the graph, `http://host`; '' for the main site, and if no host is known. */
  prefixOf(host: string | undefined): string {
    if (host === undefined || this.#rule === 'one') return '';
    const name = this.#nameOf(host);
    const isMain = this.#main === null ? !this.#others.has(name) : name === this.#main;
    return isMain ? '' : `http://${name}`;
  }

  /** Returns the key of a requested URL in the graph, not normalised: URLs of other sites begin with `http://host`. */
  nodeUrl(url: string, host: string | undefined): string {
    const named = hostIn(url);
    if (named !== undefined) {
      const path = url.slice(originIn(url).length);
      return this.prefixOf(named) + (path.startsWith('/') ? path : `/${path}`);
    }
    return url.startsWith('/') ? this.prefixOf(host) + url.replace(/^\/+/, '/') : url;
  }

  /** Returns the access with its host, and URLs as in the graph (`http://host/...` for other sites), not normalised. */
  named(access: Access): Access {
    const { url, page, alsoSent, kind } = access;
    // A page may embed objects of any host, and fetching one is no visit of its host.
    const host = access.host ?? (kind === 'document' ? hostIn(url) : undefined);
    if (host === undefined || (url.charCodeAt(0) === 47 && this.prefixOf(host) === '')) {
      return access;
    }
    const nameOf = (of: string) => this.nodeUrl(of, host);
    return {
      ...access,
      host,
      url: nameOf(url),
      ...(page !== undefined && { page: nameOf(page) }),
      ...(alsoSent !== undefined && { alsoSent: alsoSent.map(nameOf) }),
    };
  }

  /** Notes that a client visits a host. @param address pseudonym of the client's address @returns true if the visit is
   *  to be learned */
  visit(host: string | undefined, address: string): boolean {
    if (host === undefined || this.#rule === 'one') return true;
    const name = this.#nameOf(host);
    if (name === this.#main || this.#others.get(name) === true) return true;
    if (this.#rule !== 'each' || name === '') return false;
    const visitors = this.#visitors.get(name) ?? new Set();
    this.#visitors.set(name, visitors.add(address));
    if (visitors.size >= this.#minClients) this.#isVisited(name);
    else if (this.#main !== null && this.#others.size < mostSites) this.#others.set(name, false);
    return this.#main === null || this.#main === name || this.#others.has(name);
  }

  /** Notes that at least `minClients` clients have visited the site: it becomes the main one or another learned one. */
  #isVisited(name: string): void {
    if (this.#main === null) this.#main = name;
    else if (this.#others.has(name) || this.#others.size < mostSites) this.#others.set(name, true);
    else {
      const [weaker] = [...this.#others].find(([, isVisited]) => !isVisited) ?? [];
      if (weaker === undefined) return;
      this.#others.delete(weaker);
      this.#others.set(name, true);
    }
    this.#visitors.delete(name);
  }

  forgetClients(): void {
    this.#visitors.clear();
  }

  #nameOf(host: string): string {
    if (host === this.#main) return host;
    let name = this.#names.get(host);
    if (name === undefined) {
      name = hostName(host) ?? '';
      this.#names.set(host, name);
    }
    return name;
  }
}
