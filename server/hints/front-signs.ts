// Detects from requests that a proxy or CDN in front of this server is not configured here (`trustProxy`). Behind such
// a proxy, all visitors count as one, or every page seems to be opened from another site, so nothing is ever hinted.
// Each finding is reported once.

import { isForwarded } from '../../http/forwarded.ts';
import type { HeaderFields } from '../../prefetchd/rules/eligibility.ts';
import { siteName } from '../../prefetchd/rules/navigation-start.ts';
import type { Unhinted } from './site-hints.ts';
import type { Visited } from './visited.ts';

/** Number of pages after which it is no coincidence if all were requested from this machine, or `nearlyAll` have
 *  Referers of one other host. */
const enough = 100;
const nearlyAll = 0.8;

const loopback = /^(?:::ffff:)?127\.0\.0\.1$|^::1$/;
/** Addresses of this machine or of a private network (RFC 1918, RFC 4193): no stranger's connection has one. */
const nearby = /^(?:::ffff:)?(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.|^::1$|^f[cd]/i;

const remedy =
  "set trustProxy to the proxy's address (prefetchd proxy: --trust), and let it send X-Forwarded-For";

type FrontSign = 'not believed' | 'one visitor' | 'another host';

export class FrontSigns {
  readonly #tell: (message: string) => void;
  readonly #told = new Set<FrontSign>();
  #pages = 0;
  #local = 0;
  /** Majority vote (Boyer, Moore 1981): pages opened from `#otherHost`, less pages opened from further other hosts. */
  #elsewhere = 0;
  #otherHost = '';

  /** @param tell Called with a message for the operator, once for each kind of finding */
  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** Looks for signs of a proxy without `trustProxy` in the request for a page. @param peer address of the connection
   *  @param client address and user agent */
  note(peer = '', { headers, trusts }: Visited, client: string | null): void {
    if (trusts === null && isForwarded(headers) && nearby.test(peer)) {
      this.#warnOnce(
        'not believed',
        `a proxy at ${peer} is not believed, so all its visitors are one: ${remedy}`,
      );
    }
    this.#pages++;
    if (loopback.test(client?.split(' ', 1)[0] ?? '')) this.#local++;
    const own = String(headers[':authority'] ?? headers.host ?? '');
    // If the browser sends Sec-Fetch-Site, that field tells whether a page is opened from another site, so Host is not
    // compared.
    const says = headers['sec-fetch-site'] !== undefined || headers.referer === undefined;
    const from = says ? own : (URL.parse(String(headers.referer))?.host ?? own);
    if (siteName(from) !== siteName(own)) {
      // The majority vote of Boyer and Moore (1981) ends with the host that most pages are opened from.
      if (this.#elsewhere === 0) this.#otherHost = from;
      this.#elsewhere += from === this.#otherHost ? 1 : -1;
    }
    if (this.#pages < enough) return;
    if (this.#local === this.#pages) {
      this.#warnOnce(
        'one visitor',
        `all of ${enough} pages were asked for from this machine; if visitors did: ${remedy}`,
      );
    }
    if (this.#elsewhere >= nearlyAll * this.#pages) {
      this.#warnOnce(
        'another host',
        `Host is ${own}, but nearly all pages are opened from ${this.#otherHost}: let the proxy in front keep Host, or send X-Forwarded-Host and be named in trustProxy`,
      );
    }
    this.#pages = this.#local = this.#elsewhere = 0;
  }

  #warnOnce(sign: FrontSign, message: string): void {
    if (this.#told.has(sign)) return;
    this.#told.add(sign);
    this.#tell(message);
  }
}

/** Reasons for a page without hints that need no notice, because nothing is wrong, or nothing is known yet. */
const usual: ReadonlySet<Unhinted> = new Set([
  'nothing known',
  'not a page',
  'not-page',
  'prefetch',
]);

/**
 * Tells a developer who tries hints on their own machine (option `trial`) what would be hard to find out: why a page
 * has no hints, and why a browser that got hints fetches nothing.
 */
export class TrialNotices {
  readonly #tell: (message: string) => void;

  /** @param tell Reports a message to the developer, but only once if it is repeated */
  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** Tells the developer why a page has no hints, unless nothing is wrong with that (`usual`). */
  unhinted(why: Unhinted): void {
    if (usual.has(why)) return;
    const more =
      why === 'bot' ? '; headless browsers and curl count as bots by their User-Agent' : '';
    this.#tell(`a page has no hints, by its request or response: ${why}${more}`);
  }

  /** Tells the developer that Chromium will not prefetch, if it requests a page over plain HTTP. Called per page. */
  requested(headers: HeaderFields): void {
    const isChromium = /\bChrome\//.test(String(headers['user-agent'] ?? ''));
    if (!isChromium || headers['sec-fetch-mode'] !== undefined) return;
    this.#tell(
      'Chromium prefetches by speculation rules over HTTPS and on localhost only, and this page came over HTTP',
    );
  }
}
