import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const heap = new URL('../../../cli/prefetchd/gc-tuning.ts', import.meta.url).href;

/** Makes much that lives for a while, as batches of accesses do. @returns MiB of the young generation then */
async function youngAfterMuch(before: string): Promise<number> {
  const program = `
    import v8 from 'node:v8';
    import { tuneGarbageCollection } from '${heap}';
    ${before}
    const alive = [];
    for (let n = 0; n < 4e6; n++) alive[n % 200_000] = { n, list: [n] };
    const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    console.log(young.space_size / 2 ** 20);`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test('the young generation of a process that runs already stays small, though much survives', async () => {
  expect(await youngAfterMuch('')).toBeGreaterThanOrEqual(32);
  expect(await youngAfterMuch('tuneGarbageCollection();')).toBeLessThanOrEqual(16);
});
