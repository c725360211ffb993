// Entries of a cache whose bytes follow from their URL and a number, so that whoever finds one can tell
// whether they are the right ones.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { NewEntry, StoredHead } from '../../loader/cache/entry.ts';
import type { CacheStore } from '../../loader/cache/store.ts';

export const nowMs = Date.UTC(2024, 1, 29, 12);

export function entryOf(url: string, rest: Partial<NewEntry> = {}): NewEntry {
  return {
    url,
    status: 200,
    statusText: 'OK',
    headers: [
      ['content-type', 'text/plain'],
      ['cache-control', 'max-age=60'],
    ],
    requestedAtMs: nowMs,
    receivedAtMs: nowMs + 10,
    vary: [],
    range: null,
    body: Buffer.from(`the body of ${url}`),
    ...rest,
  };
}

/** URLs that processes which share a cache write about. */
export const sharedUrls = Array.from({ length: 60 }, (_, n) => `http://one.example/${n}`);

/** Bytes that no other URL or number has. */
export function bytesFor(url: string, number: number, length: number): Buffer {
  const block = createHash('sha256').update(`${number} ${url}`).digest();
  return Buffer.alloc(length, block);
}

/** An entry that tells its number and length in its fields. */
export function tellingEntry(url: string, number: number, length: number): NewEntry {
  const headers: NewEntry['headers'] = [
    ['x-url', url],
    ['x-number', String(number)],
    ['content-length', String(length)],
  ];
  return entryOf(url, { headers, body: bytesFor(url, number, length) });
}

/** What is wrong with the telling entries that are found; `found` counts those that are right. */
export function lookedOver(store: CacheStore, urls: string[]): { found: number; wrong: string[] } {
  const wrong: string[] = [];
  let found = 0;
  for (const url of urls) {
    for (const head of store.find(url)) {
      const body = store.body(head.id);
      if (body === null) continue;
      if (isRight(url, head, body)) found++;
      else wrong.push(`${url}: ${JSON.stringify(head)}`);
    }
  }
  return { found, wrong };
}

function isRight(url: string, head: StoredHead, body: Buffer): boolean {
  const told = Object.fromEntries(head.headers);
  const length = Number(told['content-length']);
  const { id, bodyBytes, requestedAtMs, receivedAtMs } = head;
  const { body: bytes, ...rest } = tellingEntry(url, Number(told['x-number']), length);
  const right = { ...rest, id, bodyBytes: length, requestedAtMs, receivedAtMs };
  return isDeepStrictEqual(head, right) && bodyBytes === body.length && body.equals(bytes);
}
