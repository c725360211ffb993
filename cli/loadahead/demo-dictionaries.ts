// A part of `loadahead demo`: the documents of the twelve pages one after the other, coded alone and as differences to
// those that the visitor has.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHttpCache } from '../../loader/cache/cache.ts';
import { createMemoryStore } from '../../loader/cache/memory-cache-store.ts';
import { createLoader } from '../../loader/loader.ts';
import { formatBytes } from '../../loader/report/units.ts';
import { dictionaries } from '../../server/dictionaries/dictionaries.ts';
import { createOrigin } from '../../server/origin/origin.ts';

const ways = [
  { name: 'gzip', codings: 'gzip' },
  { name: 'zstd', codings: 'zstd' },
  { name: 'dcz', codings: null, note: 'shared dictionaries' },
] as const;

/** @param folder of the site's pages */
export async function demoDictionaries(folder: string, say: (line: string) => void): Promise<void> {
  const site = createOrigin(folder, {
    maxAgeSeconds: 300,
    handlers: [dictionaries({ match: 'site' })],
  });
  try {
    const { url } = await site.listen();
    const paths = JSON.parse(await readFile(join(folder, 'walk.json'), 'utf8')) as string[];
    const urls = paths.map((path) => url + path);
    const bytes: number[] = [];
    for (const { codings } of ways) bytes.push(await documentBytes(urls, codings));
    say('\nThe HTML of twelve pages of one template, as it is sent:\n');
    for (const [at, way] of ways.entries()) {
      const share = Math.round((100 * (bytes[at] as number)) / (bytes[0] as number));
      const columns = [formatBytes(bytes[at] as number).padStart(8), `${share} %`.padStart(6)];
      say(`${way.name.padEnd(6)}${columns.join('')}${'note' in way ? `  ${way.note}` : ''}`);
    }
    say('\nzstd: each page by itself; dcz: as the difference to a page that the visitor has');
  } finally {
    await site.close();
  }
}

/** @param codings Accept-Encoding; null: as a loader with a cache has it, with dictionaries. */
async function documentBytes(urls: readonly string[], codings: string | null): Promise<number> {
  const cache = createHttpCache(createMemoryStore());
  const loader = createLoader({
    cache,
    dictionaries: codings === null,
    discovery: { exclude: ['*'] },
    ...(codings !== null && { extraHeaders: { 'accept-encoding': codings } }),
  });
  try {
    let bytes = 0;
    for (const url of urls) bytes += (await loader.load(url)).resources[0]?.encodedBytes ?? 0;
    return bytes;
  } finally {
    await loader.close();
    cache.close();
  }
}
