// A store by its name on the command line. The contract is graph-store.ts.

import { resolve } from 'node:path';
import { PrefetchdError } from '../errors.ts';
import type { GraphStore } from './graph-store.ts';
import { MemoryStore } from './memory.ts';

export type { GraphStore };

export type StoreLocation = { type: 'memory' } | { type: 'sqlite'; path: string };

/** `memory` or `sqlite:FILE`; the path comes out absolute. @throws PrefetchdError `invalid-option` */
export function parseStore(text: string): StoreLocation {
  if (text === 'memory') return { type: 'memory' };
  const [, file] = /^sqlite:(.+)$/s.exec(text) ?? [];
  // Absolute, so that SQLite takes no name for one of its own (:memory:, file:...?mode=).
  if (file !== undefined && !file.includes('\0')) return { type: 'sqlite', path: resolve(file) };
  const why = /^rediss?:/.test(text) ? 'redis is not supported yet; ' : '';
  throw new PrefetchdError(
    'invalid-option',
    `store: ${why}it must be memory or sqlite:FILE, not ${JSON.stringify(text)}`,
  );
}

/** Makes the file if there is none. @throws PrefetchdError `store-unreadable` */
export async function openStore(location: StoreLocation): Promise<GraphStore> {
  if (location.type === 'memory') return new MemoryStore();
  const { SqliteStore } = await import('./sqlite.ts');
  return new SqliteStore(location.path);
}
