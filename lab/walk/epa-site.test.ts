// The EPA's site as the walk bench sees it.

import { expect, test } from 'vitest';
import { addressOf, epaSite } from './epa-site.ts';

const site = epaSite({ clients: 20, maxPages: 5 });

test('what is walked is what is simulated: the same documents of the same clients, in order', async () => {
  const { paths, after, before } = await site;
  expect(paths).toHaveLength(20);
  const lastMs = Math.max(...before.map(({ timeMs }) => timeMs));
  for (const { client, pages } of paths) {
    expect(pages.length).toBeGreaterThanOrEqual(3);
    expect(pages.length).toBeLessThanOrEqual(5);
    const own = after.filter((access) => access.client === client);
    const documents = own.filter(({ kind }) => kind === 'document').map(({ url }) => url);
    expect(documents.slice(0, pages.length)).toEqual(pages.map(({ path }) => path));
    for (const { timeMs } of own) expect(timeMs).toBeGreaterThanOrEqual(lastMs);
    for (const { thinkMs } of pages) expect(thinkMs).toBeGreaterThanOrEqual(0);
  }
  const walkers = new Set(paths.map(({ client }) => client));
  expect(after.every(({ client }) => walkers.has(client))).toBe(true);
});

test('what follows a document is embedded in it, and has a size', async () => {
  const { embedded, bytes } = await site;
  const objects = [...embedded.values()].flat();
  expect(objects).toContain('/logos/small_gopher.gif');
  expect(objects.every((url) => bytes.has(url))).toBe(true);
  expect(bytes.get('/logos/small_gopher.gif')).toBeGreaterThan(0);
});

test('every client has an address of its own, and keeps it', () => {
  const addresses = new Map<string, string>();
  const names = Array.from({ length: 1000 }, (_, index) => `host-${index}`);
  const given = names.map((name) => addressOf(name, addresses));
  expect(new Set(given).size).toBe(1000);
  expect(addressOf('host-7', addresses)).toBe(given[7]);
  expect(given.every((address) => /^10\.\d+\.\d+\.\d+$/.test(address))).toBe(true);
});
