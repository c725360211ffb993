// A page whose time is over keeps what had come whole and can be seen to be in step; what cannot, fails.

import { expect, it } from 'vitest';
import { createHttpCache, createMemoryStore, loadPage } from '../../../loader/index.ts';
import type { Protocol } from '../../../loader/page-load.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytesOrError, imagePage, rowsByPath } from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { answering } from '../../support/raw-server.ts';

const page = imagePage(12);
const hanging = '/image-5.gif';
/** Nothing but the page itself is late. */
const patient = (pageMs: number, ms: number, settleMs = 60) => ({
  ...withConstants({ pipeline: { stallMs: ms, settleMs }, timeouts: { resourceMs: ms } }),
  timeouts: { ...quick.timeouts, responseMs: ms, pageMs },
  protocol: 'pipelined' as Protocol,
});
const short = patient(1_000, 5_000);

it.each(['pipelined', 'auto', 'persistent'] as const)(
  '%s: one image hangs: those before it on its connection are there, those behind are not',
  async (protocol) => {
    let hangs = false;
    await using server = await answering(({ path }, connection) => {
      hangs ||= path === hanging;
      if (!hangs || connection.id > 1) {
        connection.write(page.answer(path, { 'Cache-Control': 'max-age=60' }));
      }
    });
    const store = createMemoryStore();
    const load = await loadPage(server.origin, {
      // Long enough for five images, and then for the proof that they are in step, on any machine.
      ...patient(4_000, 20_000, 10_000),
      connections: 1,
      protocol,
      cache: createHttpCache(store),
    });
    expectOwnBytesOrError(load, page);
    const rows = rowsByPath(load, page);
    const errors = page.images.map(({ path }) => rows.get(path)?.error?.code ?? null);
    expect(errors).toEqual([...Array(5).fill(null), ...Array(7).fill('page-timeout')]);
    const kept = page.images.filter(({ path }) => store.find(server.origin + path).length > 0);
    expect(kept.length).toBe(5);
  },
);

it('one is dropped and the next come in its place: no body under a wrong URL', async () => {
  const { load } = await loadFrom(short, ({ path }, connection) => {
    if (path !== hanging) connection.write(page.answer(path));
  });
  expectOwnBytesOrError(load, page);
});

it('a server that says nothing more at all: nothing hangs', async () => {
  let hangs = false;
  const { load } = await loadFrom(short, ({ path }, connection) => {
    hangs ||= path === hanging;
    if (!hangs) connection.write(page.answer(path));
    else if (connection.id > 1) connection.socket.pause();
  });
  expectOwnBytesOrError(load, page);
  expect(load.resources.slice(1).every(({ error }) => error?.code === 'page-timeout')).toBe(true);
});

it('what is known to be out of step goes, even so', async () => {
  let hangs = false;
  const { load } = await loadFrom(short, ({ path }, connection) => {
    hangs ||= path === hanging;
    if (hangs && connection.id === 1) return;
    const answer = page.answer(path);
    connection.write(path === '/image-2.gif' ? Buffer.concat([answer, answer]) : answer);
    // All that was asked is answered, and one answer is left over.
    if (path === '/image-4.gif') connection.write(Buffer.concat(Array(8).fill(answer)));
  });
  expectOwnBytesOrError(load, page);
});

it('totals count the bytes of bodies that were thrown away', async () => {
  // Answered twice: all that came on the connection is fetched again.
  let sent = 0;
  const { load, server } = await loadFrom({ protocol: 'pipelined' }, ({ path }, connection) => {
    const answer = page.answer(path);
    const twice = connection.id === 1 && path === '/image-11.gif';
    const bytes = twice ? Buffer.concat([answer, answer]) : answer;
    sent += answer.length;
    connection.write(bytes);
  });
  expectOwnBytesOrError(load, page);
  expect(server.requests.length).toBeGreaterThan(13);
  expect(load.totals.transferBytes).toBe(sent);
});
