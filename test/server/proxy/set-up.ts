// A proxy between a client that sends raw bytes and an upstream that records them and answers raw bytes.
// Everything on free ports of 127.0.0.1; `await using` ends it.

import { once } from 'node:events';
import { withConstants } from '../../../options/options.ts';
import { createProxy, type ProxyOptions, type ReverseProxy } from '../../../server/index.ts';
import {
  type RawHandler,
  type RawServer,
  response,
  startRawServer,
} from '../../support/raw-server.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { RawClient } from '../raw-client.ts';

export interface Site extends AsyncDisposable {
  readonly port: number;
  readonly proxy: ReverseProxy;
  readonly upstream: RawServer;
  readonly errors: unknown[];
  /** All bytes that reached the upstream, connection by connection. */
  received(): string;
  /** A client on a connection of its own, that sent `bytes`. */
  send(bytes: string, options?: ConstructorParameters<typeof RawClient>[1]): RawClient;
}

export const answerOk: RawHandler = {
  onRequest: (_request, connection) => connection.write(response('ok')),
};

export const get = (target = '/', lines = '') =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;

/** A site that answers every request with these bytes. */
export const answering = (bytes: string): RawHandler => ({
  onRequest: (_request, connection) => connection.write(bytes),
});

export async function startSite(
  handler: RawHandler = answerOk,
  options: Partial<ProxyOptions> = {},
): Promise<Site> {
  const upstream = await startRawServer(handler);
  const errors: unknown[] = [];
  const proxy = createProxy({
    upstream: upstream.origin,
    // What the upstream failed is told twice: each time, and once as a warning.
    log: tellingLog((_, { err }, level) => level !== 'warn' && err && errors.push(err)),
    ...withConstants({ closeTimeoutMs: 500, lingerTimeoutMs: 200 }),

    ...options,
  });
  const { port } = await proxy.listen();
  const clients: RawClient[] = [];
  return {
    port,
    proxy,
    upstream,
    errors,
    received: () =>
      upstream.connections.map(({ segments }) => Buffer.concat(segments).toString('latin1')).join(),
    send(bytes, clientOptions) {
      const client = new RawClient(port, clientOptions);
      clients.push(client);
      client.send(bytes);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of clients) socket.destroy();
      await proxy.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** The name that a proxy has in CDN-Loop is another each time. */
export const withoutLoopName = (text: string): string =>
  text.replace(/(?<=^CDN-Loop: )loadahead-[0-9a-f]{12}(?=\r$)/gm, '*');

/** Resolves with all that came when it matches; rejects when the connection ends before. */
export async function until(client: RawClient, pattern: RegExp): Promise<string> {
  const text = () => client.bytes.toString('latin1');
  while (!pattern.test(text())) {
    if (client.socket.destroyed || client.socket.readableEnded) {
      throw new Error(`ended without ${pattern}: ${JSON.stringify(text())}`);
    }
    await Promise.race([
      once(client.socket, 'data'),
      once(client.socket, 'end'),
      once(client.socket, 'close'),
    ]);
  }
  return text();
}

/** All that came until the proxy closed its side. */
export async function untilEnd(client: RawClient): Promise<string> {
  await client.ended;
  return client.bytes.toString('latin1');
}

/** Looks after every turn of the event loop; the test's own time limit is the limit. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
