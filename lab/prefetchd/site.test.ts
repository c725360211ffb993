// What benches measure with is the same for the same seed, and what its name says.

import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLog } from '../../prefetchd/log/index.ts';
import { writeAccesses, writeRepeated } from './long-log.ts';
import { batchOf, siteAccesses, siteUrls } from './site.ts';

const site = { pages: 50, images: 80, visitors: 10, returning: false };

test('accesses go on in time, of the URLs told; the same seed gives the same', () => {
  const accesses = batchOf(siteAccesses(site), 2000);
  expect(batchOf(siteAccesses(site), 2000)).toEqual(accesses);
  expect(batchOf(siteAccesses({ ...site, seed: 7 }), 2000)).not.toEqual(accesses);
  const urls = new Set(siteUrls(site));
  expect(accesses.every(({ url }) => urls.has(url))).toBe(true);
  expect(
    accesses.every((each, i) => i === 0 || each.timeMs >= (accesses[i - 1]?.timeMs ?? 0)),
  ).toBe(true);
});

test('visitors come back, or new ones come', () => {
  const clients = (returning: boolean) =>
    new Set(batchOf(siteAccesses({ ...site, returning }), 2000).map(({ client }) => client)).size;
  expect(clients(true)).toBe(10);
  expect(clients(false)).toBeGreaterThan(50);
});

test('logs written are read back whole, and a repeated one never jumps back in time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
  try {
    const [once, long] = [join(folder, 'once.log'), join(folder, 'long.log')];
    await writeAccesses(siteAccesses(site), once, 30);
    expect(await timesOf(once)).toHaveLength(30);
    const text = await readFile(once, 'utf8');
    await writeFile(once, text.replaceAll('01/Jan/2026', '31/Dec/2025'));
    expect(await writeRepeated(once, long, 80)).toMatchObject({
      lines: 90,
      copies: 3,
      shiftDays: 1,
      format: 'common',
    });
    const times = await timesOf(long);
    expect(times).toHaveLength(90);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
  } finally {
  }
});

async function timesOf(path: string): Promise<number[]> {
  const times: number[] = [];
  for await (const batch of readLog([path])) times.push(...batch.map(({ timeMs }) => timeMs));
  return times;
}
