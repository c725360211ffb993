// Measures one kind of cache with a thousand entries and hits spread over them; prints the processor time per hit.

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createHttpCache, createMemoryStore, createSqliteStore } from '../loader/index.ts';

export interface CacheCost {
  /** Processor time of one hit, us. */
  us: number;
}

type Hit = (index: number) => number;

const [kind = '', bytesText = '', semantics = ''] = process.argv.slice(2);
const bytes = Number(bytesText);
const entries = 1_000;
const urlOf = (index: number) => `http://site.example/images/picture-${index}.gif`;
const body = Buffer.alloc(bytes, 7);
const headers: Array<[string, string]> = [
  ['Date', new Date().toUTCString()],
  ['Content-Type', 'image/gif'],
  ['Content-Length', String(bytes)],
  ['Cache-Control', 'max-age=3600'],
  ['ETag', '"5e1-61a"'],
  ['Last-Modified', 'Mon, 06 May 2024 07:08:09 GMT'],
];
const flat = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
const folder = mkdtempSync(join(tmpdir(), 'cache-cost-'));

const kinds: Record<string, () => Hit | Promise<Hit>> = {
  memory: () => ours(createMemoryStore({ maxBytes: 2 ** 30 })),
  sqlite: () => ours(createSqliteStore(folder, { maxBytes: 2 ** 30 })),
  'undici memory': () => undici('MemoryCacheStore', { maxSize: 2 ** 30, maxEntrySize: 2 ** 24 }),
  'undici sqlite': () => undici('SqliteCacheStore', { location: join(folder, 'undici.db') }),
  'http-cache-semantics': () => withSemantics(),
};

function ours(store: Parameters<typeof createHttpCache>[0]): Hit {
  const cache = createHttpCache(store);
  const now = Date.now();
  const response = {
    status: 200,
    statusText: 'OK',
    headers,
    requestedAtMs: now,
    receivedAtMs: now,
  };
  const request = (index: number) => ({ method: 'GET', url: urlOf(index), headers: [] });
  for (let index = 0; index < entries; index++) {
    cache.store([{ request: request(index), response, body }]);
  }
  return (index) => {
    const found = cache.lookup(request(index));
    return found.kind === 'hit' ? found.response.body.length : 0;
  };
}

async function undici(
  name: 'MemoryCacheStore' | 'SqliteCacheStore',
  options: object,
): Promise<Hit> {
  const { cacheStores } = createRequire(import.meta.url)('undici') as typeof import('undici');
  const store = new cacheStores[name](options as never);
  const key = (index: number) => {
    const { origin, pathname } = new URL(urlOf(index));
    return { origin, method: 'GET', path: pathname, headers: {} };
  };
  const now = Date.now();
  const value = {
    statusCode: 200,
    statusMessage: 'OK',
    headers: flat,
    cacheControlDirectives: { 'max-age': 3600 },
    cachedAt: now,
    staleAt: now + 3_600_000,
    deleteAt: now + 7_200_000,
  };
  for (let index = 0; index < entries; index++) {
    const stream = store.createWriteStream(key(index) as never, value as never);
    await new Promise<void>((resolve) => stream?.end(body, () => resolve()));
  }
  return (index) => {
    const found = store.get(key(index) as never) as { body?: Buffer | Buffer[] } | undefined;
    const parts = found?.body ?? [];
    return Array.isArray(parts) ? Buffer.concat(parts).length : Buffer.from(parts).length;
  };
}

async function withSemantics(): Promise<Hit> {
  const { default: CachePolicy } = await import(pathToFileURL(semantics).href);
  const request = (index: number) => ({ method: 'GET', url: urlOf(index), headers: {} });
  const response = { status: 200, headers: flat };
  const kept = new Map<string, { policy: InstanceType<typeof CachePolicy>; body: Buffer }>();
  for (let index = 0; index < entries; index++) {
    const policy = new CachePolicy(request(index), response, { shared: false });
    kept.set(urlOf(index), { policy, body });
  }
  return (index) => {
    const found = kept.get(urlOf(index));
    if (!found?.policy.satisfiesWithoutRevalidation(request(index))) return 0;
    return Object.keys(found.policy.responseHeaders()).length > 0 ? found.body.length : 0;
  };
}

try {
  const make = kinds[kind];
  if (make === undefined) throw new Error(`no kind ${kind}`);
  const hit = await make();
  const rounds = (count: number) => {
    for (let index = 0; index < count; index++) {
      // 389 and 1,000 have no common divisor: all entries, in an order that helps nobody.
      if (hit((index * 389) % entries) !== bytes) throw new Error('not the body that was stored');
    }
  };
  rounds(20_000);
  const count = 100_000;
  const before = process.cpuUsage();
  rounds(count);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${JSON.stringify({ us: (user + system) / count } satisfies CacheCost)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
