// Where a server is far away, a page is asked for on several connections, each of which starts slowly by itself; where
// it is near, or the caller chose, on one. How far it is the connector tells: here one that adds a round trip.

import { expect, it } from 'vitest';
import { microscapeDir } from '../../../../fixtures/index.ts';
import { LoaderError } from '../../../../loader/errors.ts';
import { type LoaderOptions, resolveOptions } from '../../../../loader/options.ts';
import { Page } from '../../../../loader/page/page.ts';
import type { PageLoad } from '../../../../loader/page-load.ts';
import { Cookies } from '../../../../loader/request/cookies.ts';
import { type Connect, createConnector } from '../../../../loader/transport/connect/connector.ts';
import { loadClient } from '../../../../loader/transport/connection/http1-client.ts';
import { Exchange } from '../../../../loader/transport/exchange.ts';
import { Transport } from '../../../../loader/transport/transport.ts';
import { withConstants } from '../../../../options/options.ts';
import { LatestMap } from '../../../../process/latest-map.ts';
import { createOrigin } from '../../../../server/index.ts';
import { expectOwnBytes, imagePage, serverOf } from '../../../support/image-page.ts';
import { answering } from '../../../support/raw-server.ts';
import { makeTestCertificate } from '../../../support/tls.ts';

/** Connections that were begun, whether they carried anything or not, each with a handshake of `roundTripMs`. */
function far(roundTripMs: number, given: LoaderOptions, noticedLateMs = 0) {
  const options = resolveOptions(given);
  const connector = createConnector(options);
  const seen = { begun: 0 };
  const connect: Connect = (origin, alpn, times, callback) => {
    seen.begun++;
    return connector(origin, alpn, times, (error, socket) => {
      times.roundTripMs = roundTripMs;
      times.startedAt -= noticedLateMs;
      callback(error, socket);
    });
  };
  return { options, seen, connect, transport: new Transport(options, connect) };
}

async function loadOver(
  { options, seen, transport }: ReturnType<typeof far>,
  url: string,
  last = true,
): Promise<{ load: PageLoad; begun: number }> {
  await loadClient();
  const page = new Page(new URL(url), {
    ...{ options, transport: transport.beginPage(), cacheMode: 'default', known: new LatestMap(1) },
    ...{ cookies: new Cookies(false), layers: [], last, onProgress: undefined },
  });
  try {
    return { load: await page.load(undefined), begun: seen.begun };
  } finally {
    transport.close();
  }
}

const images = imagePage(43);

async function begunAt(roundTripMs: number, options: LoaderOptions): Promise<number> {
  await using server = await serverOf(images);
  const { load, begun } = await loadOver(far(roundTripMs, options), server.origin);
  expectOwnBytes(load, images);
  return begun;
}

it('behind a long round trip a page has six connections, one behind a short one', async () => {
  expect(await begunAt(90, {})).toBe(6);
  expect(await begunAt(2, {})).toBe(6);
  expect(await begunAt(1, {})).toBe(1);
});

it('who named the protocol or a number has it', async () => {
  expect(await begunAt(90, { protocol: 'pipelined' })).toBe(1);
  expect(await begunAt(90, { connections: 2 })).toBe(2);
  expect(await begunAt(1, { connections: 2 })).toBe(2);
});

it('HTTP/2 has one connection, however far', async () => {
  const { key, cert } = await makeTestCertificate();
  await using origin = createOrigin(microscapeDir, { tls: { key, cert } });
  const { url } = await origin.listen();
  const { load, begun } = await loadOver(far(90, { tls: { ca: cert } }), url);
  expect([load.totals.errors, load.connections[0]?.httpVersion, begun]).toEqual([0, 'h2', 1]);
});

it('a single request that leads to no others has one', async () => {
  const handler = { onSent() {}, onHeaders() {}, onData() {}, onRestart() {}, onError() {} };
  await using server = await serverOf(images);
  const { seen, transport } = far(90, {});
  await loadClient();
  await new Promise<void>((resolve) => {
    const end = { ...handler, onEnd: () => resolve() };
    const url = new URL('/', server.origin);
    transport.beginPage().submit(new Exchange(url, [], { urgent: true, priority: 0 }, end));
  });
  transport.close();
  expect(seen.begun).toBe(1);
});

it('a connection noticed late is watched for a round trip, as its responses measured it', async () => {
  await using server = await serverOf(images);
  const tenMinutes = 600_000;
  const kept = far(10, withConstants({ pipeline: { settleMs: tenMinutes } }), tenMinutes);
  const { load } = await loadOver(kept, server.origin, false);
  expectOwnBytes(load, images);
});

it('a request that is sent again alone waits while others are answered, if no further connection opens', async () => {
  const [broken, slow] = [images.images[3]?.path, images.images[5]?.path];
  const line = far(10, { protocol: 'persistent', connections: 2 });
  const refused = Promise.withResolvers<void>();
  const { connect } = line;
  line.transport = new Transport(line.options, (origin, alpn, times, callback) => {
    if (line.seen.begun !== 2) return connect(origin, alpn, times, callback);
    line.seen.begun++;
    queueMicrotask(() => {
      callback(new LoaderError('connect-timeout', 'the line is full'), null);
      refused.resolve();
    });
    return { abort() {} };
  });
  let isBroken = false;
  await using server = await answering(async ({ path }, connection) => {
    if (path === broken && !isBroken) {
      isBroken = true;
      connection.reset();
      return;
    }
    if (path === slow) await refused.promise;
    connection.write(images.answer(path));
  });
  const { load } = await loadOver(line, server.origin);
  expectOwnBytes(load, images);
  expect(line.seen.begun).toBeGreaterThan(3);
});
