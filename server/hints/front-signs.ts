// Signs that a proxy stands in front and nothing here says so: then all visitors are one, or every page seems to be opened
// from elsewhere, and nothing is ever hinted. Each is told once.

import { isForwarded } from '../../http/forwarded.ts';
import { siteName } from '../../prefetchd/rules/site-name.ts';
import type { Visited } from './visited.ts';

/** Pages after which nearly all of one kind are no coincidence. */
const enough = 100;
const nearlyAll = 0.8;

const loopback = /^(?:::ffff:)?127\.0\.0\.1$|^::1$/;
/** Of a machine or a private network (RFC 1918, RFC 4193): a stranger has none. */
const nearby = /^(?:::ffff:)?(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.|^::1$|^f[cd]/i;

const remedy =
  "set trustProxy to the proxy's address (prefetchd proxy: --trust), and let it send X-Forwarded-For";

export class FrontSigns {
  readonly #tell: (message: string) => void;
  #pages = 0;
  #local = 0;
  /** The host that most pages with a Referer of another host come from, and how many more than from all others. */
  #elsewhere = 0;
  #otherHost = '';

  /** @param tell called with each message once */
  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** A page that somebody opened. @param peer address of the connection @param client address and user agent */
  note(peer = '', { headers, trusts }: Visited, client: string | null): void {
    if (trusts === null && isForwarded(headers) && nearby.test(peer)) {
      this.#tell(`a proxy at ${peer} is not believed, so all its visitors are one: ${remedy}`);
    }
    this.#pages++;
    if (loopback.test(client?.split(' ', 1)[0] ?? '')) this.#local++;
    const own = String(headers[':authority'] ?? headers.host ?? '');
    const from = URL.parse(String(headers.referer ?? ''))?.host ?? own;
    if (siteName(from) !== siteName(own) && headers['sec-fetch-site'] !== 'cross-site') {
      // One that most pages come from is left over when the others have voted against it (Boyer and Moore 1981).
      if (this.#elsewhere === 0) this.#otherHost = from;
      this.#elsewhere += from === this.#otherHost ? 1 : -1;
    }
    if (this.#pages < enough) return;
    if (this.#local === this.#pages) {
      this.#tell(
        `all of ${enough} pages were asked for from this machine; if visitors did: ${remedy}`,
      );
    }
    if (this.#elsewhere >= nearlyAll * this.#pages) {
      this.#tell(
        `Host is ${own}, but nearly all pages are opened from ${this.#otherHost}: let the proxy in front keep Host, or send X-Forwarded-Host and be named in trustProxy`,
      );
    }
    this.#pages = this.#local = this.#elsewhere = 0;
  }
}
