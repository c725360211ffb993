// Who may ask. With a token: who has it. Without one the service listens on loopback or a unix socket
// only, and whoever reaches it is of this machine; but so is the operator's browser, and with it every
// page that is open there. Two things keep those out: a request must be for a loopback name (DNS
// rebinding brings the name of the attacker's site), and must not come from a page of another site
// (Origin, Sec-Fetch-Site). A program on this machine sends neither and is let in.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/**
 * How much a route asks of its callers:
 * `open`   nothing
 * `front`  the token, or a loopback name: for web servers, which pass on what browsers sent
 * `page`   the same: for people, who may come by a link
 * `api`    and no page of another site
 */
export type Guard = 'open' | 'front' | 'page' | 'api';

export interface AdmissionOptions {
  token: string | null;
  origin: string | null;
  hosts: readonly string[] | null;
}

export class Admission {
  readonly #tokenDigest: Buffer | null;
  /** Null: any. */
  readonly #hosts: ReadonlySet<string> | null;

  constructor({ token, origin, hosts }: AdmissionOptions) {
    this.#tokenDigest = token === null ? null : digestOf(token);
    const site = URL.parse(origin ?? '')?.hostname;
    const named = [...(hosts ?? []), ...(site ? [site] : [])].map((name) => name.toLowerCase());
    this.#hosts = hosts === null ? null : new Set(named);
  }

  /** The Authorization field is for this service, not of the visitor that a web server tells of. */
  get ownsAuthorization(): boolean {
    return this.#tokenDigest !== null;
  }

  /** Why the request is refused, or null. */
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
      ? new Problem(
          'cross-site',
          'this may only be asked by programs, and by pages of this service',
        )
      : null;
  }

  #hasToken(authorization: string | undefined): boolean {
    const token = /^bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1];
    // Of equal length, whatever came: the comparison takes the same time for all.
    return timingSafeEqual(digestOf(token ?? ''), this.#tokenDigest as Buffer);
  }

  #isForUs({ headers, socket }: IncomingMessage): boolean {
    // No browser speaks over a unix socket.
    if (this.#hosts === null || socket.remoteAddress === undefined) return true;
    const { host } = headers;
    if (host === undefined) return false;
    const name = host.replace(/:\d*$/, '').toLowerCase();
    return isLoopbackName(name) || this.#hosts.has(name);
  }
}

/** `localhost`, 127.0.0.0/8, `[::1]`: names that lead to this machine whoever answers for them. */
export function isLoopbackName(name: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i.test(name);
}

function isFromAnotherSite({ method, headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  // Nothing is changed by GET, and without CORS nobody else can read what it answers.
  if (origin === undefined || method === 'GET' || method === 'HEAD') return false;
  return URL.parse(origin)?.host !== headers.host;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
