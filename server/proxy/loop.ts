// A proxy that is its own upstream, at once or by way of others, would send a request round until its fields are too
// large. Where that can be seen when it begins to listen, it does not. Otherwise each request carries a mark of this
// proxy in CDN-Loop (RFC 8586), and one that comes with it is answered 508. Via (RFC 9110 7.6.3) is not used for it:
// servers take Via for a reason to leave out compression (RFC 8586 1.1, docs/decisions.md).

import { randomBytes } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Fields } from './end-to-end-fields.ts';
import type { Failure } from './failure.ts';

export const loopDetected: Failure = {
  status: 508,
  detail: 'This proxy has forwarded the request already: its upstream leads back to it.',
};

const markBytes = 8;

/** A pseudonym (RFC 8586 2) that no other proxy has, nor this one after a restart. */
export function createLoopMark(): string {
  return `loadahead-${randomBytes(markBytes).toString('hex')}`;
}

/** @param rawHeaders of a request, names and values in turns */
export function hasLoopMark(rawHeaders: readonly string[], mark: string): boolean {
  return rawHeaders.some(
    (name, i) =>
      i % 2 === 0 && name.toLowerCase() === 'cdn-loop' && rawHeaders[i + 1]?.includes(mark),
  );
}

/** Behind those of others, which stay (RFC 8586 2). */
export function addLoopMark(fields: Fields, mark: string): void {
  const before = fields.get('cdn-loop');
  fields.set('cdn-loop', {
    name: before?.name ?? 'CDN-Loop',
    values: [...(before?.values ?? []), mark],
  });
}

export interface Endpoint {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Would a connection to `upstream` reach who listens on `own`? False where only a look-up of a name could tell. */
export function leadsBack(upstream: Endpoint, own: Endpoint): boolean {
  if (upstream.port !== own.port || own.port === 0) return false;
  const [target, listening] = [plain(upstream.host), plain(own.host)];
  if (target === listening) return true;
  if (isAnyAddress(listening)) return isOfThisMachine(target);
  // Either name may be any loopback address; two addresses are two places.
  const isNamed = target === 'localhost' || listening === 'localhost' || isAnyAddress(target);
  return isNamed && isLoopback(target) && isLoopback(listening);
}

function plain(host: string): string {
  const lower = host.toLowerCase().replace(/\.$/, '');
  if (lower.endsWith('.localhost')) return 'localhost';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(lower)?.[1];
  if (mapped !== undefined) return mapped;
  // One spelling of each IPv6 address.
  return isIPv6(lower) ? new URL(`http://[${lower}]`).hostname.slice(1, -1) : lower;
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** A connection to 0.0.0.0 or :: reaches loopback. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || isAnyAddress(host) || /^127\.[\d.]+$/.test(host);
}

function isOfThisMachine(host: string): boolean {
  if (isLoopback(host)) return true;
  if (isIP(host) === 0) return false;
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => plain(address) === host),
  );
}
