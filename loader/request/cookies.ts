// The loader's cookie jar (RFC 6265bis), based on tough-cookie, with the rules that the library leaves open: a
// cookie without SameSite is Lax, SameSite=None requires Secure, an insecure origin cannot overwrite a Secure
// cookie, and the least recently used cookies are evicted. The library is loaded with the first cookie, because
// most pages set none and it contains the Public Suffix List.

import { createRequire } from 'node:module';
import type { Cookie, CookieJar } from 'tough-cookie';
import { requestSite } from './referrer.ts';

/**
 * How a request relates to its page (6265bis 5.2). `strict`: same site, or a page that the user requested; `lax`: a
 * page to which another site redirected or linked; `none`: a subresource of another site's page.
 */
export type SameSiteContext = 'strict' | 'lax' | 'none';

/** Longest name and value together, bytes (6265bis 5.6); longer cookies are dropped. */
const mostCookieBytes = 4096;
/** Longest value of an attribute, bytes; an attribute with a longer one is ignored (6265bis 5.6). */
const mostAttributeBytes = 1024;
/** Longest Set-Cookie line, including attributes, bytes. */
const mostLineBytes = 16 * 1024;
/** Limits on the number of cookies; 6265bis 5.7 and RFC 6265 6.1 require at least 50 and 3000. */
const mostCookiesPerDomain = 50;
const mostCookies = 3000;
/** Longest Cookie field that is sent, bytes; cookies that do not fit are left out entirely. */
const mostHeaderBytes = 8192;

type CookieLibrary = typeof import('tough-cookie');

/**
 * Returns how a request for `url` relates to its page.
 * @param page The document that refers to `url`; null if `url` is the page itself, requested by the user.
 */
export function sameSiteContext(page: URL | null, url: URL): SameSiteContext {
  return page === null || requestSite(page, url) !== 'cross-site' ? 'strict' : 'none';
}

/** Whether the request is sent without cookies (Fetch Standard, credentials mode `same-origin`). */
export function isAnonymous(page: URL | null, url: URL, crossOrigin?: string): boolean {
  return crossOrigin === 'anonymous' && page !== null && page.origin !== url.origin;
}

export class Cookies {
  #library: CookieLibrary | null = null;
  #jar: CookieJar | null = null;
  readonly #enabled: boolean;
  /** Number of cookies stored so far, or replaced; when it has grown, a repeated request may get another response. */
  learned = 0;
  /** Number of cookies stored since all of them were last counted. */
  #storedSinceCount = 0;

  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  /** Stores the cookie of one Set-Cookie header. A malformed or foreign cookie is dropped. */
  store(setCookie: string, url: URL, context: SameSiteContext): void {
    if (!this.#enabled || Buffer.byteLength(setCookie) > mostLineBytes) return;
    this.#library ??= createRequire(import.meta.url)('tough-cookie') as CookieLibrary;
    this.#jar ??= new this.#library.CookieJar(undefined, { looseMode: false });
    const cookie = this.#library.Cookie.parse(setCookie, { loose: true });
    if (cookie === undefined || !isAcceptable(cookie, setCookie, url)) return;
    if (Buffer.byteLength(cookie.path ?? '') > mostAttributeBytes) cookie.path = null;
    if (Buffer.byteLength(cookie.domain ?? '') > mostAttributeBytes) cookie.domain = null;
    cookie.sameSite ??= 'lax';
    if (!cookie.secure && this.#hidesSecure(cookie, url)) return;
    const options = { ignoreError: true, sameSiteContext: context };
    const kept = this.#jar.setCookieSync(cookie, url.href, options);
    if (kept !== undefined) this.learned++;
    if (kept?.domain) this.#evict(kept.domain);
  }

  /** Returns the value of the Cookie header for a request; '' if it has no cookies. */
  header(url: URL, context: SameSiteContext): string {
    const pairs = this.#jar?.getCookieStringSync(url.href, { sameSiteContext: context }) ?? '';
    if (pairs.length <= mostHeaderBytes) return pairs;
    return pairs.slice(0, pairs.lastIndexOf('; ', mostHeaderBytes));
  }

  /**
   * Whether a cookie from an insecure origin would shadow a Secure cookie of the same name, which it must not (6265bis
   * 5.7, step 16).
   */
  #hidesSecure(cookie: Cookie, url: URL): boolean {
    if (url.protocol === 'https:') return false;
    const hosts = new Set([url.hostname, cookie.cdomain() ?? url.hostname]);
    const there = [...hosts].flatMap(
      (host) => this.#jar?.getCookiesSync(`https://${host}/`, { allPaths: true }) ?? [],
    );
    return there.some(
      ({ secure, key, path }) => secure && key === cookie.key && this.#covers(path, cookie, url),
    );
  }

  #covers(path: string | null, cookie: Cookie, url: URL): boolean {
    const own = cookie.path?.startsWith('/')
      ? cookie.path
      : this.#library?.defaultPath(url.pathname);
    return this.#library?.pathMatch(own ?? '/', path ?? '/') ?? false;
  }

  #evict(domain: string): void {
    this.#remove(mostCookiesPerDomain, this.#storedFor(domain));
    if (++this.#storedSinceCount <= mostCookies) return;
    this.#storedSinceCount = 0;
    this.#jar?.store.getAllCookies((_error, all) => this.#remove(mostCookies, all ?? []));
  }

  #storedFor(domain: string): Cookie[] {
    let found: Cookie[] = [];
    this.#jar?.store.findCookies(domain, null, true, (_error, cookies) => {
      found = (cookies ?? []).filter((cookie) => cookie.domain === domain);
    });
    return found;
  }

  /** Evicts expired cookies first, then those without Secure, then the least recently used (6265bis 5.7). */
  #remove(most: number, cookies: Cookie[]): void {
    if (cookies.length <= most) return;
    const nowMs = Date.now();
    const rank = (cookie: Cookie) =>
      (cookie.expiryTime() ?? Number.POSITIVE_INFINITY) <= nowMs ? 0 : cookie.secure ? 2 : 1;
    const usedMs = ({ lastAccessed }: Cookie) =>
      lastAccessed instanceof Date ? lastAccessed.getTime() : 0;
    const excess = cookies
      .toSorted(
        (a, b) => rank(a) - rank(b) || usedMs(a) - usedMs(b) || a.creationIndex - b.creationIndex,
      )
      .slice(0, cookies.length - most);
    for (const { domain, path, key } of excess) {
      this.#jar?.store.removeCookie(domain ?? '', path ?? '/', key, () => {});
    }
  }
}

/**
 * Whether a cookie obeys the rules of 6265bis 5.6 and 5.7 that the library lacks: on its length, SameSite=None, name
 * prefixes in any letter case, and empty names.
 */
function isAcceptable(cookie: Cookie, line: string, url: URL): boolean {
  const { key, value, sameSite, secure, path, domain } = cookie;
  if (Buffer.byteLength(key) + Buffer.byteLength(value) > mostCookieBytes) return false;
  if (sameSite === 'none' && !secure) return false;
  // The cookie has no name but a `=` in its value: when sent back, that value would be read as a name and a value.
  if (/^\s*=[^;]*=/.test(line)) return false;
  const [, prefix] = /^__(secure|host)-/i.exec(key === '' ? value : key) ?? [];
  if (prefix === undefined) return key !== '' || value !== '';
  const isBound = prefix.toLowerCase() === 'secure' || (path === '/' && domain === null);
  return key !== '' && secure && url.protocol === 'https:' && isBound;
}
