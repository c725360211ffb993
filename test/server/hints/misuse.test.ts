// What a framework with a contract of its own gets: the line to write, and hints once it is written. Errors that nobody
// listens to are told as a warning.

import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpBindings, serve as serveHono } from '@hono/node-server';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { type Hints, hints } from '../../../server/index.ts';
import { listening } from '../listening.ts';
import { browser, calm, platform, serve } from './set-up.ts';

const page = { 'Content-Type': 'text/html', ETag: '"1"' };

type Running = { port: number; close: () => Promise<unknown> };
type Told = (error: unknown) => void;
type Site = (middleware: Hints, isRight: boolean, told: Told) => Promise<Running>;

/** The wrong call and the line that its error names, in each framework. */
const frameworks: Record<string, Site> = {
  async Fastify(middleware, isRight, told) {
    const app = fastify();
    const wrong = middleware as unknown as (a: object, b: object, c: () => void) => void;
    app.addHook('onRequest', (request, reply, done) =>
      isRight ? middleware(request.raw, reply.raw, () => done()) : wrong(request, reply, done),
    );
    app.addHook('onError', async (_request, _reply, error) => told(error));
    app.get('/*', (_, reply) => reply.headers(page).send('<p>'));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
  },
  async Koa(middleware, isRight, told) {
    const app = new Koa();
    app.silent = true;
    app.on('error', told);
    if (isRight) {
      app.use((ctx, next) =>
        new Promise<void>((done) => middleware(ctx.req, ctx.res, () => done())).then(next),
      );
    } else app.use(middleware as unknown as Koa.Middleware);
    app.use((ctx) => {
      ctx.set(page);
      ctx.body = '<p>';
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, close: async () => server.close() };
  },
  async Hono(middleware, isRight, told) {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.onError((error, c) => {
      told(error);
      return c.text('', 500);
    });
    if (isRight) {
      app.use((c, next) =>
        new Promise<void>((done) =>
          middleware(c.env.incoming, c.env.outgoing as ServerResponse, () => done()),
        ).then(next),
      );
    } else app.use(middleware as unknown as Parameters<typeof app.use>[0]);
    app.get('/*', (c) => c.body('<p>', 200, page));
    onTestFinished(() => void Object.assign(globalThis, platform)); // Hono's server replaces them
    const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    if (!server.listening) await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, close: async () => server.close() };
  },
};

async function visit(port: number, path: string): Promise<Response> {
  const fetched = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
  const headers = { 'User-Agent': browser, Accept: 'text/html', ...fetched };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  await answer.text();
  return answer;
}

describe.each(Object.keys(frameworks))('%s', (name) => {
  const start = frameworks[name] as Site;

  it('is told the line to write, by each request', async () => {
    await using middleware = hints({ prefetchd: calm() });
    const told: unknown[] = [];
    const { port, close } = await start(middleware, false, (error) => told.push(error));
    try {
      for (const path of ['/', '/speculation-rules.json?url=%2F']) {
        expect((await visit(port, path)).status).toBe(500);
      }
    } finally {
      await close();
    }
    expect(told).toHaveLength(2);
    for (const error of told) {
      expect(error).toMatchObject({ code: 'invalid-call' });
      expect(String(error)).toContain(`with ${name}, write: `);
    }
  });

  it('has hints with that line', async () => {
    await using prefetchd = calm({ minClients: 1, ...withConstants({ minPageClients: 1 }) });
    await using middleware = hints({ prefetchd });
    const { port, close } = await start(middleware, true, () => {});
    try {
      for (const path of ['/a', '/b']) await visit(port, path);
      // A response can be there before the server knows that it is sent.
      await expect
        .poll(async () => (await visit(port, '/a')).headers.get('link'))
        .toContain('</b>; rel=prefetch');
    } finally {
      await close();
    }
  });
});

it('says how to call it, whatever else it is called with', async () => {
  await using middleware = hints({ prefetchd: calm() });
  const call = middleware as unknown as (...given: unknown[]) => void;
  for (const given of [[], [null, null], [{ headers: {} }, {}], ['/', () => {}]]) {
    expect(() => call(...given)).toThrow('hints() returned as middleware(req, res, next)');
  }
});

it('warns once of errors that nobody listens to', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const prefetchd = calm();
  const clientOf = () => {
    throw new Error('no session');
  };
  const middleware = hints({ prefetchd, clientOf });
  const listener: RequestListener = (req, res) =>
    middleware(req, res, () => res.writeHead(200, page).end());
  await using site = await serve(listener, middleware, prefetchd);
  for (const path of ['/a', '/b']) expect((await site.visit(path)).status).toBe(200);
  process.off('warning', note);
  expect(warnings.map(({ message }) => message)).toEqual([
    'a fault of hints() in its client; stats().faults counts all: Error: no session',
  ]);
});

it.each([null, 'http://127.0.0.1:7733'])('%j is no object of options', (given) => {
  expect(() => hints(given as never)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
});

it('used without being called, says how to write it', async () => {
  const server = createServer((req, res) => {
    try {
      hints(req as never);
    } catch (error) {
      res.end((error as Error).message);
    }
  });
  const port = await listening(server);
  const said = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(said).toContain('write app.use(hints())');
});

it('takes no request of node:http for a misuse, HTTP/1.0 without fields included', async () => {
  const middleware = hints({ prefetchd: calm() });
  const port = await listening(
    createServer((req, res) => middleware(req, res, () => res.end('fine'))),
  );
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('fine');
  await middleware.close();
});
