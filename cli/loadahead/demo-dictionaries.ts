// Part of `loadahead demo`: the site of twelve pages walked by a loader with a cache, each page compressed alone and as
// its difference to those before it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHttpCache } from '../../loader/cache/cache.ts';
import { createMemoryStore } from '../../loader/cache/memory-cache-store.ts';
import { createLoader } from '../../loader/loader.ts';
import { formatBytes } from '../../loader/report/units.ts';
import { dictionaries } from '../../server/dictionaries/dictionaries.ts';
import { createOrigin } from '../../server/origin/origin.ts';

export interface DemoDictionaries {
  /** Of the site's pages. */
  folder: string;
  say: (line: string) => void;
}

export async function demoDictionaries({ folder, say }: DemoDictionaries): Promise<void> {
  const paths = JSON.parse(await readFile(join(folder, 'walk.json'), 'utf8')) as string[];
  say('\nA site of twelve pages by a loader with a cache: HTML compressed alone, and as');
  say('the difference to pages that it has (shared dictionaries, RFC 9842):\n');
  say('html           pages  differences     bytes');
  for (const isOn of [false, true]) {
    const shelf = dictionaries();
    const site = createOrigin(folder, { maxAgeSeconds: 300, handlers: [shelf] });
    const cache = createHttpCache(createMemoryStore());
    const loader = createLoader({ cache, dictionaries: isOn });
    try {
      const { url } = await site.listen();
      let bytes = 0;
      for (const path of paths) {
        const { resources } = await loader.load(url + path);
        const pages = resources.filter(({ kind }) => kind === 'document');
        bytes += pages.reduce((sum, { encodedBytes }) => sum + encodedBytes, 0);
      }
      const cells = [`${paths.length}`.padStart(5), `${shelf.stats().coded}`.padStart(11)];
      const name = (isOn ? 'as differences' : 'alone').padEnd(14);
      say(`${name}${[...cells, formatBytes(bytes).padStart(8)].join('  ')}`.trimEnd());
    } finally {
      await loader.close();
      cache.close();
      await site.close();
    }
  }
}
