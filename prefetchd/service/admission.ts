// Controls access to the service. With a token, callers must present it. Without one, the service listens only on
// loopback or a unix socket, reachable from this machine alone; but so is the operator's browser, with every page open
// in it. Two checks exclude those pages: a request must be for a loopback name (DNS rebinding uses the attacker's name)
// and must not come from another site's page (Origin, Sec-Fetch-Site). Local programs send neither field and are
// admitted.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/**
 * Requirements of a route:
 * - `open`: none
 * - `front`: the token or, without one, a loopback name or the site's host as Host; for web servers in front
 * - `page`: the same as `front`; for people, who may follow a link
 * - `api`: as `front`, and the request must not come from another site's page
 */
export type Guard = 'open' | 'front' | 'page' | 'api';

export interface AdmissionOptions {
  token: string | null;
  origin: string | null;
}

export class ServiceAdmission {
  readonly #tokenDigest: Buffer | null;
  /** The host of the site, which a request may name in place of a loopback name; undefined: it is not known. */
  readonly #siteHost: string | undefined;

  constructor({ token, origin }: AdmissionOptions) {
    this.#tokenDigest = token === null ? null : digestOf(token);
    this.#siteHost = URL.parse(origin ?? '')?.hostname;
  }

  /** True if callers send this service's token in Authorization; otherwise a web server forwards that field from the
   *  visitor's request. */
  get ownsAuthorization(): boolean {
    return this.#tokenDigest !== null;
  }

  /** Returns why the request is refused; null: it is admitted. */
  refusal(request: IncomingMessage, guard: Guard): Problem | null {
    if (guard === 'open') return null;
    const { headers } = request;
    if (this.#tokenDigest !== null) {
      if (!this.#hasToken(headers.authorization)) {
        const detail = 'send the token as Authorization: Bearer';
        return new Problem('unauthorized', detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
      }
    } else if (!this.#isForUs(request)) {
      return new Problem(
        'host-refused',
        'without a token, the Host field must name this machine (localhost, 127.0.0.1), or the site',
      );
    }
    return guard === 'api' && isFromAnotherSite(request)
      ? new Problem('cross-site', 'only programs and pages of this service may request this')
      : null;
  }

  #hasToken(authorization: string | undefined): boolean {
    const token = /^bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1];
    // Digests have equal length, so the comparison takes constant time.
    return timingSafeEqual(digestOf(token ?? ''), this.#tokenDigest as Buffer);
  }

  #isForUs({ headers, socket }: IncomingMessage): boolean {
    // Browsers do not use unix sockets, so no page sent this request.
    if (socket.remoteAddress === undefined) return true;
    const { host } = headers;
    if (host === undefined) return false;
    const name = host.replace(/:\d*$/, '').toLowerCase();
    return isLoopbackName(name) || name === this.#siteHost;
  }
}

/** Returns whether a name always denotes this machine: `localhost`, 127.0.0.0/8, `[::1]`. */
export function isLoopbackName(name: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i.test(name);
}

function isFromAnotherSite({ method, headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  // A GET from another site is harmless: it changes nothing, and without CORS that site cannot read the response.
  if (origin === undefined || method === 'GET' || method === 'HEAD') return false;
  return URL.parse(origin)?.host !== headers.host;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
