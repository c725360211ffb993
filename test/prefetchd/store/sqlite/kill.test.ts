// kill -9 at any moment: what was acknowledged is there, nothing is corrupt, no addition is there by half.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SqliteGraphStore } from '../../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { contentOf } from '../../../support/graph-deltas.ts';
import { anySeed, randomFrom } from '../../../support/random.ts';

const program = fileURLToPath(new URL('../../../support/adds-for-ever.ts', import.meta.url));
const rounds = 20;
const mostAdditions = 60;

/** Kill it a moment after so many acknowledged additions. @returns how many there were in the end */
async function killedAfter(additions: number, momentMs: number, path: string): Promise<number> {
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let isDying = false;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (isDying || text.split('\n').length <= additions) return;
    isDying = true;
    setTimeout(() => child.kill('SIGKILL'), momentMs);
  });
  const [code, signal] = await once(child, 'close');
  expect([code, signal]).toEqual([null, 'SIGKILL']);
  return Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1));
}

test(`killed at ${rounds} moments, it keeps every addition whole`, {
  timeout: 120_000,
}, async () => {
  const seed = anySeed();
  const random = randomFrom(seed);
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  const path = join(folder, 'killed.db');
  let least = 0;
  for (let round = 0; round < rounds; round++) {
    // In the first round also while the file is made.
    const additions = round === 0 ? 1 : Math.floor(random() * mostAdditions);
    least += await killedAfter(additions, random() * 5, path);
    const store = new SqliteGraphStore(path);
    const [graph] = contentOf(await store.load(Date.now())).graphs;
    await store.close();
    const counts = [...(graph?.values() ?? [])].flat().map(({ count }) => count);
    const told = `SEED=${seed}, round ${round}`;
    expect(counts.length, told).toBe(50);
    expect(new Set(counts).size, told).toBe(1);
    // One more than acknowledged, if it was killed between the two.
    expect(counts[0], told).toBeGreaterThanOrEqual(least);
    expect(counts[0], told).toBeLessThanOrEqual(least + 1);
    least = counts[0] as number;
  }
  await rm(folder, { recursive: true });
});
