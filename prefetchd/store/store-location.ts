// A store by its name, as on the command line: `memory`, `sqlite:FILE`, `redis://...`. A store's modules
// are loaded when it is opened. A password comes in by the name and is never shown again, in errors neither.

import { resolve } from 'node:path';
import { PrefetchdError } from '../errors.ts';
import type { GraphStore } from './graph-store.ts';
import { redisPlace } from './redis/location.ts';
import type { RedisStoreOptions } from './redis/redis-store.ts';
import type { SqliteStoreOptions } from './sqlite/sqlite-graph-store.ts';

export type StoreLocation =
  | { type: 'memory' }
  /** The path is absolute. */
  | { type: 'sqlite'; path: string }
  /** May have a password in it. */
  | { type: 'redis'; url: string };

/** Those of all kinds; each takes what it knows. */
export type OpenStoreOptions = SqliteStoreOptions & Pick<RedisStoreOptions, 'newsLifeMs'>;

const forms = 'memory, sqlite:FILE or redis://[user:password@]host[:port][/db][?prefix=NAME]';

/** @throws PrefetchdError `invalid-option` */
export function parseStore(text: string): StoreLocation {
  if (text === 'memory') return { type: 'memory' };
  const [, file] = /^sqlite:(.+)$/s.exec(text) ?? [];
  // Absolute, so that SQLite takes no name for one of its own (:memory:, file:...?mode=).
  if (file !== undefined && !file.includes('\0')) return { type: 'sqlite', path: resolve(file) };
  if (/^rediss?:\/\//.test(text)) {
    redisPlace(text);
    return { type: 'redis', url: text };
  }
  throw notAStore(JSON.stringify(text));
}

/** As it may be shown. */
export function storeName(location: StoreLocation): string {
  if (location.type === 'memory') return 'memory';
  if (location.type === 'sqlite') return `sqlite:${location.path}`;
  return redisPlace(location.url).name;
}

/**
 * Opens it, and makes it if there is none: a file that cannot be used is told here, a Redis that is away
 * by the first call.
 * @throws PrefetchdError `store-unreadable`, `invalid-option`
 */
export async function openStore(
  location: StoreLocation,
  options: OpenStoreOptions = {},
): Promise<GraphStore> {
  const { onDamaged: _, busyTimeoutMs: __, onNotice: ___, ...shared } = options;
  switch (location.type) {
    case 'memory': {
      const { MemoryStore } = await import('./memory-graph-store.ts');
      return new MemoryStore(shared);
    }
    case 'sqlite': {
      const { SqliteStore } = await import('./sqlite/sqlite-graph-store.ts');
      const store = new SqliteStore(location.path, options);
      try {
        await store.identity();
        return store;
      } catch (error) {
        await store.close();
        throw error;
      }
    }
    case 'redis': {
      const { RedisStore } = await import('./redis/redis-store.ts');
      return new RedisStore(location.url, shared);
    }
  }
}

function notAStore(what: string): PrefetchdError {
  return new PrefetchdError('invalid-option', `store must be ${forms}, not ${what}`);
}
