// A server that reads one request from each segment and drops what stands behind it: pipelining never gets an answer
// from it (Nielsen, Gettys et al. 1997, "Robustness"). All settings are the defaults.

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLoader, loadPage, type PageLoad } from '../../../loader/index.ts';
import { expectOwnBytes, imagePage } from '../../support/image-page.ts';
import { loadFrom } from '../../support/quick-load.ts';
import { answering, type RawServer } from '../../support/raw-server.ts';

const page = imagePage(42);
const asked = 43;

/** Of what one segment brings only the first request is answered. */
function oneARead(): Promise<RawServer> {
  const seen = new WeakMap<object, number>();
  return answering(({ path, segment }, connection) => {
    if (seen.get(connection) === segment) return;
    seen.set(connection, segment);
    connection.write(page.answer(path));
  });
}

/** A request is sent again after each second of silence that it was in. */
function expectAttempts(load: PageLoad, most: number): void {
  expect(Math.max(...load.resources.map(({ attempts }) => attempts))).toBe(most);
}

describe.each(['auto', 'pipelined'] as const)('%s', (protocol) => {
  it('the page is whole, after one stall at most', async () => {
    await using server = await oneARead();
    const load = await loadPage(server.origin, { protocol });
    expectOwnBytes(load, page);
    expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
    expectAttempts(load, 2);
  });

  it('a kept loader pipelines to it no more', async () => {
    await using server = await oneARead();
    await using loader = createLoader({ protocol });
    await loader.load(server.origin);
    const before = server.requests.length;
    const load = await loader.load(server.origin);
    expectOwnBytes(load, page);
    expect(server.requests.length - before).toBe(asked);
    expectAttempts(load, 1);
  });

  it('that drops the last of a pipeline alone is not waited for longer', async () => {
    let dropped = 0;
    const { load } = await loadFrom({ protocol }, ({ path, index }, connection) => {
      if (path === '/image-41.gif' && index > 1) dropped++;
      else connection.write(page.answer(path));
    });
    expectOwnBytes(load, page);
    expect(dropped).toBe(1);
    expectAttempts(load, 2);
  });
});

it('a response that is slow by itself is waited for, and what is behind it comes meanwhile', async () => {
  const slow = '/image-3.gif';
  const answered = new Set<string>();
  // It comes when all others have been there for a long time.
  const aLongTime = () => wait(800);
  let allOthers = (): void => {};
  const othersCame = new Promise<void>((resolve) => {
    allOthers = resolve;
  });
  await using server = await answering(({ path }, connection) => {
    const answer = () => {
      connection.write(page.answer(path));
      if (path !== slow) answered.add(path);
      if (answered.size === page.images.length) allOthers();
    };
    // In order: what stands behind it on its connection waits.
    const before = waiting.get(connection) ?? Promise.resolve();
    const mine = before.then(() => (path === slow ? othersCame.then(aLongTime) : undefined));
    waiting.set(connection, mine.then(answer));
  });
  const waiting = new WeakMap<object, Promise<unknown>>();
  await using loader = createLoader();
  const load = await loader.load(server.origin);
  expectOwnBytes(load, page);
  const endOf = (path: string) =>
    load.resources.find(({ url }) => url.endsWith(path))?.responseEndMs ?? 0;
  const others = page.images.map(({ path }) => path).filter((path) => path !== slow);
  expect(Math.max(...others.map(endOf))).toBeLessThanOrEqual(endOf(slow));
  // It had not dropped anything, and may be slow: the next page is pipelined again, and not cut short.
  const next = await loader.load(server.origin);
  expectOwnBytes(next, page);
  expect(next.totals.connections).toBe(1);
});
