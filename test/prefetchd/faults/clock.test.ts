// Clocks that jump by a day, both ways, with a service and a store behind it: it goes on learning, hinting and
// keeping. Clocks are the service's own (`now`), and those of whoever sends accesses (`timeMs`).

import { expect, test } from 'vitest';
import { MemoryContent, MemoryGraphStore } from '../../support/memory-graph-store.ts';
import { access, hintedUrls, type Running, running } from '../service/ask.ts';

const t0 = Date.UTC(2026, 0, 1, 12);
const dayMs = 24 * 60 * 60 * 1000;
let clients = 0;

const hinted = (service: Running, page: string) => hintedUrls(service.url, page);

/** Four visitors nobody knows go along the path. */
async function walk({ post }: Running, path: string[], more: object = {}): Promise<void> {
  for (let n = 0; n < 4; n++) {
    const client = `visitor-${++clients} x`;
    const { json } = await post(
      '/v1/accesses',
      path.map((url) => access(client, url, more)),
    );
    expect(json).toMatchObject({ learned: path.length });
  }
}

const jumps = [
  ['a day ahead', [dayMs]],
  ['a day back', [-dayMs]],
  ['ahead, and back again', [dayMs, -dayMs]],
  ['back, and ahead again', [-dayMs, dayMs]],
  ['ahead by a year', [365 * dayMs]],
] as const;

test.each(jumps)('the clock of the service jumps %s', async (_, steps) => {
  const content = new MemoryContent();
  const halfLifeMs = 7 * dayMs;
  const open = () => new MemoryGraphStore({ content, halfLifeMs });
  let clockMs = t0;
  const now = () => clockMs;
  const engine = { store: open(), now, halfLifeMs, minClients: 2 };
  await using service = await running({ prefetchd: engine, service: { now } });
  await service.prefetchd.ready;
  await walk(service, ['/a', '/b']);
  await service.prefetchd.flush();
  for (const [at, step] of steps.entries()) {
    clockMs += step;
    expect(await hinted(service, '/a')).toEqual(['/b']);
    await walk(service, [`/before-${at}`, `/later-${at}`]); // the era is over, and nobody knows yet
    await service.prefetchd.flush();
    await walk(service, [`/c-${at}`, `/d-${at}`]);
    await service.prefetchd.flush();
    expect(await hinted(service, `/before-${at}`)).toEqual([`/later-${at}`]);
    expect(await hinted(service, `/c-${at}`)).toEqual([`/d-${at}`]);
    expect((await service.get('/healthz')).json.status).toBe('ok');
  }
  await using next = await running({ prefetchd: { ...engine, store: open() } });
  await next.prefetchd.ready;
  expect(await hinted(next, '/a')).toEqual(['/b']);
  expect(await hinted(next, '/c-0')).toEqual(['/d-0']);
});

test.each(jumps)('accesses come with a clock that jumps %s', async (_, steps) => {
  let timeMs = t0;
  const now = () => t0;
  await using service = await running({ prefetchd: { now, minClients: 2 }, service: { now } });
  await walk(service, ['/a', '/b'], { timeMs });
  for (const [at, step] of steps.entries()) {
    timeMs += step;
    await walk(service, [`/c-${at}`, `/d-${at}`], { timeMs });
    expect(await hinted(service, '/a')).toEqual(['/b']);
    expect(await hinted(service, `/c-${at}`)).toEqual([`/d-${at}`]);
  }
});
