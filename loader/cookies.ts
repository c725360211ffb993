// The loader's cookies (RFC 6265), by tough-cookie. The library is loaded when the first cookie
// comes: most pages set none, and it brings the Public Suffix List along.

import { createRequire } from 'node:module';
import type { CookieJar } from 'tough-cookie';

/** RFC 6265 6.1: what a client need not exceed; a jar without bounds makes requests without bounds. */
const mostCookieBytes = 4096;
const mostCookiesPerSite = 50;
/** Longest Cookie field sent; what does not fit is left out whole. */
const mostHeaderBytes = 8192;

export class Cookies {
  #jar: CookieJar | null = null;
  readonly #enabled: boolean;

  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  /** Keep what one Set-Cookie header sets. A malformed or foreign cookie is dropped. */
  store(setCookie: string, url: URL): void {
    if (!this.#enabled || Buffer.byteLength(setCookie) > mostCookieBytes) return;
    if (this.#jar === null) {
      const require = createRequire(import.meta.url);
      const { CookieJar } = require('tough-cookie') as typeof import('tough-cookie');
      this.#jar = new CookieJar(undefined, { looseMode: false });
    }
    if (this.#jar.getCookiesSync(url.href, { allPaths: true }).length >= mostCookiesPerSite) return;
    this.#jar.setCookieSync(setCookie, url.href, { ignoreError: true });
  }

  /** Value of the Cookie header for a request; '' for none. */
  header(url: URL): string {
    const pairs = this.#jar?.getCookieStringSync(url.href) ?? '';
    if (pairs.length <= mostHeaderBytes) return pairs;
    return pairs.slice(0, pairs.lastIndexOf('; ', mostHeaderBytes));
  }
}
