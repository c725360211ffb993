// A remote prefetchd that fails in every way there is: the page is served, in time, and nothing wrong goes out.

import { describe, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { eventually } from '../../support/eventually.ts';
import {
  closedPort,
  type RawConnection,
  type RawServer,
  response,
  startRawServer,
} from '../../support/raw-server.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { hintOf, json, patient } from './remote-set-up.ts';
import { site } from './set-up.ts';

describe('a prefetchd that fails', () => {
  const writes = (bytes: string | Buffer) => (connection: RawConnection) =>
    void connection.write(bytes);
  const ends = (bytes: string | Buffer) => (connection: RawConnection) =>
    void connection.end(bytes);
  const elsewhere = { Location: 'http://127.0.0.1:1/' };
  const ways: [string, (connection: RawConnection) => void][] = [
    ['garbage', ends('\0\0\0 what?\r\n\r\n')],
    ['a reset', (connection) => connection.reset()],
    ['an end', (connection) => connection.end()],
    ['half an answer', ends(response('{"hin', { 'Content-Length': '99' }))],
    ['no JSON', writes(response('<html>'))],
    ['JSON that is nothing', writes(json([null, { hints: 7 }]))],
    ['hints that are none', writes(json({ hints: [null, 7, {}, [], hintOf('')] }))],
    ['500', writes(response('no', {}, '500 No'))],
    ['401', writes(response('no', {}, '401 No'))],
    ['a redirect', writes(response('', elsewhere, '307 Elsewhere'))],
    [
      'a gigantic body',
      (connection) => {
        connection.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"hints":[');
        connection.pour(Buffer.alloc(64 * 1024, ' '));
      },
    ],
    [
      'a byte in a while',
      (connection) => {
        connection.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
        connection.drip(Array(1000).fill(' '), 50);
      },
    ],
    ['silence', () => {}],
  ];

  it.each(ways)('%s: the page is served', async (_, answer) => {
    const remote = await startRawServer({ onRequest: (_, connection) => answer(connection) });
    const told: string[] = [];
    const log = tellingLog((_, { fault }) => told.push(String(fault)));
    await using shop = await site({ prefetchd: remote.origin, log });
    await shop.prefetch.ready;
    for (let n = 0; n < 6; n++) {
      const served = { status: 200, body: '<p>page', link: undefined };
      expect(await shop.visit('/a')).toMatchObject(served);
    }
    expect(new Set(told).size).toBe(told.length);
    expect(told).not.toContain('head');
    expect(told).not.toContain('request');
    await remote[Symbol.asyncDispose]();
  });

  it.each([
    ['two addresses, and nobody listens', async () => `http://localhost:${await closedPort()}`],
    ['no folder on the way to the socket', async () => `unix:${import.meta.filename}/s`],
    ['no such name', async () => 'http://nobody.invalid:7733'],
  ])('%s: what was not delivered is kept', async (_, where) => {
    await using shop = await site({ prefetchd: await where(), ...patient });
    await shop.prefetch.ready;
    await shop.visit('/a');
    await eventually(() => Number(shop.prefetch.stats().faults.remote) === 2); // the question, and the delivery
    expect(shop.prefetch.stats().remote).toMatchObject({ queued: 1, delivered: 0, lost: 0 });
  });

  it.each([
    ['nobody listens', async () => `http://127.0.0.1:${await closedPort()}`],
    ['silence', async (remote: RawServer) => remote.origin],
  ])('%s: after three questions nobody waits, and it is left alone', async (_, where) => {
    await using silent = await startRawServer({});
    const prefetchd = await where(silent);
    await using shop = await site({ prefetchd, ...withConstants({ deadlineMs: 20 }) });
    await shop.prefetch.ready;
    for (let n = 0; n < 20; n++) expect((await shop.visit('/a')).status).toBe(200);
    const { remote } = shop.prefetch.stats();
    expect(remote).toMatchObject({ isFailing: true, answered: 0 });
    expect(remote?.asked).toBeLessThan(8);
    expect(remote?.skipped).toBeGreaterThan(12);
  });

  it('late hints are none: the page does not wait beyond the deadline', async () => {
    let held: RawConnection | undefined;
    await using remote = await startRawServer({
      onRequest: ({ method }, connection) => {
        if (method === 'GET') held = connection;
      },
    });
    const soon = withConstants({ deadlineMs: 100 });
    await using shop = await site({ prefetchd: remote.origin, ...soon });
    await shop.prefetch.ready;
    // Answered before the service says a word: it never does.
    expect((await shop.visit('/a')).link).toBeUndefined();
    expect(held).toBeDefined();
    expect(shop.prefetch.stats().remote).toMatchObject({ asked: 1, late: 1 });
  });

  it('only documents ask, and robots as nobody, for those to whom a cache may give the page', async () => {
    await using remote = await startRawServer({
      onRequest: (_, connection) => connection.write(json({ hints: [] })),
    });
    await using shop = await site({ prefetchd: remote.origin, ...patient });
    await shop.prefetch.ready;
    await shop.visit('/i.png', { headers: { 'sec-fetch-dest': 'image' } });
    await shop.visit('/a', { headers: { 'user-agent': 'Googlebot/2.1' } });
    const asked = remote.requests.filter(({ method }) => method === 'GET');
    expect(asked.map(({ path }) => path)).toEqual([
      expect.stringMatching(/^\/v1\/hints\?url=%2Fa(?!.*client=)/),
    ]);
  });

  it('hostile hints: nothing but paths of the site goes out', async () => {
    const bad = [
      'javascript:alert(1)',
      '//evil.example/x',
      '/\\evil.example/x',
      'https://evil.example/x',
      'data:text/html,x',
      '/\t/evil.example',
      `/${'x'.repeat(5000)}`,
    ];
    const odd = ['/a\r\nSet-Cookie: id=1', '/b>; rel=preload, <//evil.example', '/c"d'];
    await using remote = await startRawServer({
      onRequest: (_, connection) =>
        connection.write(json({ hints: [...bad, ...odd, '/good'].map(hintOf) })),
    });
    await using shop = await site({
      ...{ prefetchd: remote.origin, speculationRules: true, ...patient },
    });
    await shop.prefetch.ready;
    const seen = await shop.visit('/page');
    expect(seen.headers['set-cookie']).toBeUndefined();
    expect(seen.link).toContain('</good>; rel=prefetch');
    const targets = (seen.link ?? '').split(', ').map((link) => /^<([^>]*)>/.exec(link)?.[1] ?? '');
    expect(targets.every((target) => /^\/[^/\\]/.test(target))).toBe(true);
    expect(seen.link).not.toMatch(/javascript|<https?:|<\/\/|<data/);
    const rules = await shop.visit('/speculation-rules.json?url=%2Fpage');
    expect(rules.body).not.toMatch(/javascript|"https?:|"\/\/|"data/);
    expect(rules.body).toContain('/good');
  });
});
