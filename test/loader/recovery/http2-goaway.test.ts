// A server may end an HTTP/2 connection at any time (RFC 9113 6.8). Streams above the last one it names were not
// processed and may be sent again, whatever their method (8.7); none of what can be had may be lost.

import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import type { ServerHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFetch, createLoader, loadPage } from '../../../loader/index.ts';
import { createOrigin } from '../../../server/index.ts';
import {
  type Http2Answer,
  type Http2Site,
  serving,
  startHttp2Site,
} from '../../support/http2-site.ts';
import { expectOwnBytes, imagePage } from '../../support/image-page.ts';

const page = imagePage(150);
const asked = 151;

interface Limited extends Http2Site {
  /** Paths that were processed: streams at or below the last of their session. */
  processed: string[];
}

/** How a session ends when `limit` streams have come. */
type Goaway = (session: ServerHttp2Session, lastStream: number) => void;

const atOnce: Goaway = (session, lastStream) => session.goaway(0, lastStream);
const inTwoSteps: Goaway = (session, lastStream) => {
  session.goaway(0, 2 ** 31 - 1);
  session.ping(() => session.destroyed || session.goaway(0, lastStream));
};
const withAnError: Goaway = (session, lastStream) => {
  session.goaway(11 /* ENHANCE_YOUR_CALM */, lastStream);
};

async function limitedServer(
  limit: number,
  goaway: Goaway = atOnce,
  answer: Http2Answer = serving(page),
): Promise<Limited> {
  const processed: string[] = [];
  const last = new Map<number, number>();
  const site = await startHttp2Site(
    (path, stream, at) => {
      const id = stream.id ?? 0;
      if ((id + 1) / 2 === limit) {
        last.set(at.session, id);
        goaway(stream.session as ServerHttp2Session, id);
      }
      if (id > (last.get(at.session) ?? Number.POSITIVE_INFINITY)) return;
      processed.push(path);
      answer(path, stream, at);
    },
    { maxSendHeaderBlockLength: 2 ** 20 },
  );
  return Object.assign(site, { processed });
}

const bodyOf = (path: string) => page.images.find((image) => image.path === path)?.body;

describe.each([
  ['at once', atOnce],
  ['in two steps: 2^31-1, then the real one', inTwoSteps],
])('GOAWAY %s, behind so many streams of each connection', (_name, goaway) => {
  it.each([1, 5, 99, 100, 101])('%i: a page is whole, nothing is processed twice', async (k) => {
    await using server = await limitedServer(k, goaway);
    const load = await loadPage(server.origin, { protocol: 'h2' });
    expectOwnBytes(load, page);
    expect(server.processed.length).toBe(asked);
  });

  it.each([1, 5, 99])('%i: forty fetches at a time all succeed', async (k) => {
    await using server = await limitedServer(k, goaway);
    await using fetch = createFetch({ protocol: 'h2' });
    const paths = page.images.slice(0, 40).map(({ path }) => path);
    const bodies = await Promise.all(
      paths.map(async (path) => (await fetch(server.origin + path)).bytes()),
    );
    expect(bodies.map((body) => Buffer.from(body))).toEqual(paths.map(bodyOf));
    expect(server.processed.length).toBe(40);
  });
});

it('with an error: what stands above the last stream goes again, a POST too (RFC 9113 8.7)', async () => {
  let isFirst = true;
  await using server = await limitedServer(2, (session, last) => {
    if (isFirst) withAnError(session, last);
    isFirst = false;
  });
  await using fetch = createFetch({ protocol: 'h2' });
  const send = (path: string) => fetch(server.origin + path, { method: 'POST', body: path });
  const answers = await Promise.allSettled(['/1', '/2', '/3', '/4'].map(send));
  // node:http2 ends all streams with the session; what may have been processed is not sent again.
  expect(new Set(server.processed).size).toBe(server.processed.length);
  expect(answers.slice(2).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
});

it('a limit that was learned is kept to: no more streams are sent than the server takes', async () => {
  let streams = 0;
  await using server = await limitedServer(10, (session, last) => atOnce(session, last));
  await using loader = createLoader({ protocol: 'h2' });
  await loader.load(server.origin);
  for (const session of server.sessions) session.on('stream', () => streams++);
  const load = await loader.load(server.origin);
  expectOwnBytes(load, page);
  // One stream beyond the limit may ask whether it still holds.
  expect(load.totals.requests).toBeLessThanOrEqual(Math.ceil(asked * 1.1));
  expect(server.processed.length).toBe(2 * asked);
});

it('a stream that is refused again and again fails, and not for ever (RFC 9113 8.7)', async () => {
  let refusals = 0;
  await using server = await limitedServer(Number.POSITIVE_INFINITY, atOnce, (_path, stream) => {
    refusals++;
    stream.close(7 /* REFUSED_STREAM */);
  });
  await using fetch = createFetch({ protocol: 'h2' });
  await expect(fetch(`${server.origin}/`)).rejects.toMatchObject({
    cause: { code: 'connection-lost', message: expect.stringContaining('HTTP/2') },
  });
  expect(refusals).toBeLessThanOrEqual(12);
});

it('a header section of 100 KB arrives (RFC 9113 10.5.1)', async () => {
  const fields = Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'x'.repeat(5_000)]);
  await using server = await limitedServer(Number.POSITIVE_INFINITY, atOnce, (_path, stream) => {
    stream.respond({ ':status': 200, ...Object.fromEntries(fields) });
    stream.end('here');
  });
  await using fetch = createFetch({ protocol: 'h2' });
  const answer = await fetch(`${server.origin}/`);
  expect(Object.fromEntries(answer.headers)).toMatchObject(Object.fromEntries(fields));
  expect(await answer.text()).toBe('here');
});

it('one field of over 64 KB, which Node does not read: an error that says so', async () => {
  await using server = await limitedServer(Number.POSITIVE_INFINITY, atOnce, (_path, stream) => {
    stream.respond({ ':status': 200, 'x-long': 'x'.repeat(100_000) });
    stream.end('here');
  });
  await using fetch = createFetch({ protocol: 'h2' });
  await expect(fetch(`${server.origin}/`)).rejects.toMatchObject({
    cause: { code: 'connection-lost', message: expect.stringContaining('over 64 KiB') },
  });
});

describe('our own server with --requests-per-connection', () => {
  it.each([1, 5, 100])('%i: a page is whole over h2', async (maxRequestsPerConnection) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'loadahead-goaway-'));
    writeFileSync(join(folder.path, 'index.html'), page.html);
    for (const { path, body } of page.images) writeFileSync(join(folder.path, path), body);
    await using origin = createOrigin(folder.path, { maxRequestsPerConnection });
    const { url } = await origin.listen();
    const load = await loadPage(url, { protocol: 'h2' });
    expect(load.resources.map(({ error }) => error).filter((error) => error !== null)).toEqual([]);
    expect(load.resources.length).toBe(asked);
  });
});
