// Parses a Redis address: redis://[user[:password]@]host[:port][/database][?prefix=name&cluster=1], or rediss:// for
// TLS (the certificate is verified). Neither the displayed name nor any message contains the password.

import { isIP } from 'node:net';
import { unescape as decoded } from 'node:querystring';
import { about } from '../../../options/refusal.ts';
import { invalidOption } from '../../errors.ts';

export type RedisPlace = ReturnType<typeof redisPlace>;

const defaultPort = 6379;
const defaultPrefix = 'prefetchd';

/**
 * Parses the address of a Redis. @throws PrefetchdError `invalid-option`
 * @returns `name`, the address for display, without user and password; `server`, the address as ioredis takes it; the
 * `prefix` of all keys (keys.ts); `isCluster`, true if the host belongs to a cluster, whose other nodes it names
 */
export function redisPlace(text: string) {
  const url = URL.canParse(text) ? new URL(text) : refuse('it is not a URL');
  const { protocol, hostname, searchParams } = url;
  if (!/^rediss?:$/.test(protocol)) refuse('its scheme must be redis or rediss');
  if (hostname === '') refuse('it has no host');
  if (!/^\/?\d{0,4}$/.test(url.pathname)) refuse('its path must be the number of a database');
  const { prefix = defaultPrefix, cluster = '0', ...others } = Object.fromEntries(searchParams);
  if (Object.keys(others).length > 0) refuse('it may have prefix and cluster only');
  if (!/^[\w.:-]{1,64}$/.test(prefix)) refuse('its prefix must be 1 to 64 of a-z A-Z 0-9 _ . : -');
  if (!/^[01]$/.test(cluster)) refuse('cluster must be 1 or 0');
  const [host, port] = [hostname.replace(/^\[(.*)\]$/, '$1'), Number(url.port || defaultPort)];
  const db = Number(url.pathname.slice(1));
  if (cluster === '1' && db !== 0) refuse('a cluster has database 0 only');
  const own = prefix === defaultPrefix ? '' : `?prefix=${prefix}`;
  const user = { username: decoded(url.username), password: decoded(url.password) };
  // TLS tells servers behind one address apart by a name; an IP address is no name, so it is not sent (RFC 6066 3).
  const tls = protocol === 'rediss:' && { tls: isIP(host) === 0 ? { servername: host } : {} };
  const name = `${protocol}//${hostname}:${port}/${db}${own}`;
  return { name, server: { host, port, db, ...user, ...tls }, prefix, isCluster: cluster === '1' };
}

/** Refuses the address. The message omits the URL, which may contain a password. */
function refuse(why: string): never {
  const form = 'redis://host:port/database, or rediss:// for TLS';
  invalidOption(...about('store', `must be ${form}: ${why}`));
}
