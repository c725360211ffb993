// Opens a store by its command-line name: `memory`, `sqlite:FILE`, `redis://...`. Modules of a store are loaded when
// it is opened. A name may contain a password, which is never shown, not even in errors.

import { resolve } from 'node:path';
import { about } from '../../options/refusal.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import type { GraphStore } from './graph-store.ts';
import { redisPlace } from './redis/location.ts';
import type { RedisStoreOptions } from './redis/redis-store.ts';
import type { SqliteGraphStoreOptions } from './sqlite/sqlite-graph-store.ts';

export type StoreLocation =
  | { type: 'memory' }
  /** `path` is absolute. */
  | { type: 'sqlite'; path: string }
  /** The URL may contain a password. */
  | { type: 'redis'; url: string };

/** Options of all kinds of stores; each uses those it knows. */
export type OpenStoreOptions = SqliteGraphStoreOptions & Pick<RedisStoreOptions, 'newsLifeMs'>;

/** Short forms of the name of a store that outlives its process, for help and messages. */
export const keptStoreForms = 'sqlite:FILE or redis://...';

/** The forms of a store's name, for messages and help; names that fit one match `storePattern`. */
export const storeForms =
  'memory, sqlite:FILE or redis://[user:password@]host[:port][/db][?prefix=NAME]';
export const storePattern = /^(?:memory$|sqlite:.|rediss?:\/\/)/s;

/** Parses the name of a store. @throws PrefetchdError `invalid-option` */
export function parseStore(text: string): StoreLocation {
  if (text === 'memory') return { type: 'memory' };
  const [, file] = /^sqlite:(.+)$/s.exec(text) ?? [];
  // The path is absolute, so that SQLite does not read it as a special name (:memory:, file:...?mode=).
  if (file !== undefined && !file.includes('\0')) return { type: 'sqlite', path: resolve(file) };
  if (/^rediss?:\/\//.test(text)) {
    redisPlace(text);
    return { type: 'redis', url: text };
  }
  const meant = /^[^:]+$/.test(text) ? `; did you mean sqlite:${text}?` : '';
  const reason = `must be ${storeForms}, not ${JSON.stringify(text)}${meant}`;
  return invalidOption(...about('store', reason));
}

/** Returns the name of a store for display, without a password. */
export function storeName(location: StoreLocation): string {
  if (location.type === 'memory') return 'memory';
  if (location.type === 'sqlite') return `sqlite:${location.path}`;
  return redisPlace(location.url).name;
}

/**
 * Makes the store at a location; the first call of one of its methods opens or creates it. If a file or a Redis cannot
 * be used, each call reports that, and the store is used once it works: a site must not fail because of it.
 * @throws PrefetchdError `invalid-option`
 */
export async function openStore(
  location: StoreLocation,
  options: OpenStoreOptions = {},
): Promise<GraphStore> {
  switch (location.type) {
    case 'memory':
      return invalidOption(...about('store', 'must be left out: memory is kept without one'));
    case 'sqlite': {
      const { SqliteGraphStore } = await import('./sqlite/sqlite-graph-store.ts');
      return new SqliteGraphStore(location.path, options);
    }
    case 'redis': {
      const { RedisStore } = await import('./redis/redis-store.ts').catch(needsClient);
      return new RedisStore(location.url, options);
    }
  }
}

const needed = 'redis:// needs the package ioredis: npm install ioredis';

/** Throws `cause` or, if the client of Redis is not installed, an error that says how to install it. */
function needsClient(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
  const [message, option, reason] = about('store', needed);
  throw new PrefetchdError('invalid-option', message, { option, reason, cause });
}
