// Parses a Redis address: redis://[user[:password]@]host[:port][/database][?prefix=name&cluster=1], or rediss:// for
// TLS (the certificate is verified). Neither the displayed name nor any message contains the password.

import { PrefetchdError } from '../../errors.ts';

export interface RedisPlace {
  /** The address for display, without user and password. */
  name: string;
  host: string;
  port: number;
  isTls: boolean;
  database: number;
  username: string;
  password: string;
  /** Prefix of all keys, see keys.ts. */
  prefix: string;
  /** True if the host belongs to a cluster, whose other nodes the host names. */
  isCluster: boolean;
}

const defaultPort = 6379;
const defaultPrefix = 'prefetchd';

/** Parses the address. @throws PrefetchdError `invalid-option` */
export function redisPlace(text: string): RedisPlace {
  if (!URL.canParse(text)) refuse('it is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:')
    refuse('its scheme must be redis or rediss');
  if (url.hostname === '') refuse('it has no host');
  const database = /^\/?(\d{0,4})$/.exec(url.pathname)?.[1];
  if (database === undefined) refuse('its path must be the number of a database');
  for (const option of url.searchParams.keys()) {
    if (option !== 'prefix' && option !== 'cluster') refuse('it may have prefix and cluster only');
  }
  const prefix = url.searchParams.get('prefix') ?? defaultPrefix;
  if (!/^[\w.:-]{1,64}$/.test(prefix)) {
    refuse('its prefix must be 1 to 64 letters, digits, or any of _ . : -');
  }
  const cluster = url.searchParams.get('cluster') ?? '0';
  if (cluster !== '0' && cluster !== '1') refuse('cluster must be 1 or 0');
  if (cluster === '1' && Number(database) !== 0) refuse('a cluster has database 0 only');
  const port = url.port === '' ? defaultPort : Number(url.port);
  const own = prefix === defaultPrefix ? '' : `?prefix=${prefix}`;
  return {
    name: `${url.protocol}//${url.hostname}:${port}/${Number(database)}${own}`,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    isTls: url.protocol === 'rediss:',
    database: Number(database),
    username: decoded(url.username),
    password: decoded(url.password),
    prefix,
    isCluster: cluster === '1',
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('a % in its user or password must be written %25');
  }
}

/** Refuses the address. The message omits the URL, which may contain a password. */
function refuse(why: string): never {
  throw new PrefetchdError(
    'invalid-option',
    `store: ${why}; a Redis is written redis://host:port/database, or rediss:// for TLS`,
  );
}
