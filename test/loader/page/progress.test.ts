// onProgress: called as resources are found, as bytes come and as resources end.

import { expect, it } from 'vitest';
import { type LoadProgress, loadPage } from '../../../loader/index.ts';
import { imagePage, serverOf } from '../../support/image-page.ts';
import { answering } from '../../support/raw-server.ts';

it('tells each resource when it is found, never goes back, and ends where the record does', async () => {
  const page = imagePage(5);
  await using server = await serverOf(page);
  const calls: LoadProgress[] = [];
  const load = await loadPage(`${server.origin}/`, {
    onProgress: (each) => calls.push({ ...each }),
  });
  for (const [index, each] of calls.entries()) {
    const before = calls[index - 1];
    expect(each.url).toBe(load.url);
    expect(each.done).toBeLessThanOrEqual(each.found);
    expect(each.found).toBeGreaterThanOrEqual(before?.found ?? 0);
    expect(each.done).toBeGreaterThanOrEqual(before?.done ?? 0);
    expect(each.bodyBytes).toBeGreaterThanOrEqual(before?.bodyBytes ?? 0);
  }
  // Found one by one, the page before `load` gave us its promise.
  expect([...new Set(calls.map(({ found }) => found))]).toEqual([1, 2, 3, 4, 5, 6]);
  expect(calls.at(-1)).toMatchObject({ found: 6, done: 6, bodyBytes: load.totals.bodyBytes });
});

it('never goes back when answers that came are in doubt and fetched again', async () => {
  const page = imagePage(42);
  let done = false;
  await using server = await answering(({ path }, connection) => {
    const answer = page.answer(path);
    // One answer too many: all before it may stand under wrong URLs.
    const isTwice = path === '/image-41.gif' && !done;
    connection.write(isTwice ? Buffer.concat([answer, answer]) : answer);
    if (isTwice) done = true;
  });
  const calls: LoadProgress[] = [];
  const load = await loadPage(`${server.origin}/`, {
    protocol: 'pipelined',
    onProgress: (each) => calls.push({ ...each }),
  });
  expect(load.totals.requests).toBeGreaterThan(43);
  for (const name of ['found', 'done', 'bodyBytes'] as const) {
    const told = calls.map((each) => each[name]);
    expect([name, told]).toEqual([name, told.toSorted((a, b) => a - b)]);
  }
  expect(calls.at(-1)).toMatchObject({ found: 43, done: 43, bodyBytes: load.totals.bodyBytes });
});

it('is not called before a wrong URL is refused', async () => {
  let calls = 0;
  const load = loadPage('nonsense', { onProgress: () => calls++ });
  await expect(load).rejects.toMatchObject({ code: 'invalid-url' });
  expect(calls).toBe(0);
});
