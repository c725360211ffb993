// A visitor of a site: one line of JSON in, `Visit`, one line out, `Seen`. The documents alone are loaded, one after
// the other on one connection, into an empty cache.

import { createInterface } from 'node:readline';
import { createHttpCache, createLoader, createMemoryStore } from '../../loader/index.ts';

export interface Visit {
  ca: string;
  urls: string[];
  /** Accept-Encoding; null: as the loader has it, with dictionaries. */
  codings: string | null;
}

export interface Seen {
  pages: Array<{ bodyBytes: number; encodedBytes: number; completeMs: number }>;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { ca, urls, codings } = JSON.parse(line) as Visit;
  const loader = createLoader({
    tls: { ca },
    cache: createHttpCache(createMemoryStore()),
    dictionaries: codings === null,
    discovery: { exclude: ['*'] },
    ...(codings !== null && { extraHeaders: { 'accept-encoding': codings } }),
  });
  const pages: Seen['pages'] = [];
  for (const url of urls) {
    const { resources, timing } = await loader.load(url);
    const document = resources[0];
    if (document?.status !== 200) throw new Error(`${url}: ${document?.error?.message}`);
    const { bodyBytes, encodedBytes } = document;
    pages.push({ bodyBytes, encodedBytes, completeMs: timing.completeMs ?? Number.NaN });
  }
  await loader.close();
  process.stdout.write(`${JSON.stringify({ pages } satisfies Seen)}\n`);
}
