// kill -9 at any moment of two processes that write into one folder: the store opens and works, nothing is
// damaged, and what is found has the bytes of its URL. 24 kills in a usual run; LOADER_CACHE_KILLS=100 for
// more.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createSqliteStore } from '../../../../loader/cache/sqlite/sqlite-cache-store.ts';
import { lookedOver, sharedUrls, tellingEntry } from '../../../support/cache-entries.ts';
import { folderOfTest } from '../../../support/folder-of-tests.ts';
import { anySeed, randomFrom } from '../../../support/random.ts';

const program = fileURLToPath(new URL('../../../support/caches-for-ever.ts', import.meta.url));
const kills = Number(process.env.LOADER_CACHE_KILLS ?? 24);
const mostPuts = 15;

/** Kills it a moment after so many puts; after none, while it opens the file. */
async function killedAfter(puts: number, momentMs: number, folder: string, seed: number) {
  const words = [program, folder, String(seed)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let lines = 0;
  let isDying = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines += text.split('\n').length - 1;
    if (isDying || lines < puts) return;
    isDying = true;
    setTimeout(() => child.kill('SIGKILL'), momentMs);
  });
  const [code, signal] = await once(child, 'close');
  expect([code, signal]).toEqual([null, 'SIGKILL']);
}

test(`killed ${kills} times`, { timeout: 20_000 + 2000 * kills }, async () => {
  const folder = folderOfTest();
  const seed = anySeed();
  const random = randomFrom(seed);
  let found = 0;
  for (let killed = 0; killed < kills; killed += 2) {
    // Every fourth time the file is begun anew.
    if (killed % 8 === 0) for (const name of readdirSync(folder)) rmSync(join(folder, name));
    await Promise.all(
      [0, 1].map((child) => {
        const puts = killed % 8 === 0 && child === 0 ? 1 : Math.floor(random() * mostPuts);
        return killedAfter(puts, random() * 10, folder, seed + killed + child);
      }),
    );
    const told = `SEED=${seed}, ${killed} killed before`;
    const onNotice = (message: string) => expect.fail(`${message}; ${told}`);
    const store = createSqliteStore(folder, { onNotice });
    const seen = lookedOver(store, sharedUrls);
    expect(seen.wrong, told).toEqual([]);
    found += seen.found;
    const entry = tellingEntry('http://one.example/after', killed, 5000);
    store.put([entry]);
    expect(lookedOver(store, [entry.url]), told).toEqual({ found: 1, wrong: [] });
    store.close();
  }
  expect(found).toBeGreaterThan(kills);
});
