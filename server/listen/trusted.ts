// Knows the addresses of the site owner's proxies: what these report about visitors is trusted, and limits for one
// visitor do not apply to them.

import proxyAddr from 'proxy-addr';
import { any } from '../../options/kinds.ts';
import { ServerError } from '../errors.ts';

/** The trusted proxies: addresses, networks, `loopback`, `linklocal`, `uniquelocal`, or a function; false: none. */
export type TrustProxy =
  | false
  | string
  | readonly string[]
  | ((address: string, hop: number) => boolean);

const isTrustProxy = (value: unknown) =>
  value === false ||
  ['string', 'function'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));
const trustRule =
  'false, a function, or addresses, networks and the names loopback, linklocal, uniquelocal';

export const trustProxyKind = any<TrustProxy>(isTrustProxy, trustRule);

export type IsTrusted = (address: string, hop: number) => boolean;

/**
 * Returns a function that tells whether an address is trusted; null if no proxy is.
 * @throws ServerError 'invalid-option'
 */
export function trustOf(given: TrustProxy): IsTrusted | null {
  if (given === false) return null;
  if (typeof given === 'function') return given;
  try {
    return proxyAddr.compile(typeof given === 'string' ? [given] : [...given]);
  } catch (cause) {
    const option = 'trustProxy';
    const reason = `must be ${trustRule}: ${(cause as Error).message}`;
    throw new ServerError('invalid-option', `${option} ${reason}`, { option, reason, cause });
  }
}
