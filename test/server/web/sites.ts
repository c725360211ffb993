// Sites under servers that we did not write, with hints by `loadahead/web`, `loadahead/fastify` and
// `loadahead/hints`.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpBindings, serve as serveHono } from '@hono/node-server';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { onTestFinished } from 'vitest';
import type { Prefetchd } from '../../../prefetchd/index.ts';
import { hints as fastifyHints } from '../../../server/fastify/index.ts';
import { type Hints, hints as nodeHints } from '../../../server/hints/index.ts';
import { hints } from '../../../server/web/index.ts';
// @ts-expect-error It is JavaScript, as the sites are that others build.
import { answer } from '../../frameworks/faults.mjs';
import { calm, platform, type Seen, teachBy, type Visit, visitPort } from '../hints/set-up.ts';

/** What all pages are. */
export const page = '<!doctype html><p><a href="/news">news</a>';
export const html = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=600' };
/** A page, or a fault. */
const respond = (path: string): Response =>
  /^\/(?:news)?$/.test(path) ? new Response(page, { headers: html }) : answer(path.slice(1));

export interface Running {
  url: string;
  visit(path: string, how?: Visit): Promise<Seen>;
  teach(...paths: string[]): Promise<void>;
}

export const running = (port: number, prefetchd?: Prefetchd): Running => {
  const visit = (path: string, how?: Visit) => visitPort(port, path, how);
  return {
    url: `http://127.0.0.1:${port}`,
    visit,
    teach: (...paths) => teachBy(visit, paths, prefetchd),
  };
};

/** @param prefix The pages are below it */
export async function honoSite(prefix = ''): Promise<Running> {
  const prefetchd = calm();
  const prefetch = hints({ prefetchd });
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use((c, next) =>
    prefetch(
      c.req.raw,
      async () => {
        await next();
        return c.res;
      },
      { address: c.env.incoming.socket.remoteAddress, base: `${prefix}/` },
    ).then((response) => {
      c.res = undefined; // else Hono keeps the header fields of the response before
      c.res = response;
    }),
  );
  app.get('/none', () => new Response(null, { status: 204 }));
  app.get('/fails', () => {
    throw new Error('the site fails');
  });
  app.onError((_error, c) => c.text('failed', 500));
  app.get('/*', (c) => respond(c.req.path.slice(prefix.length)));
  onTestFinished(() => void Object.assign(globalThis, platform)); // Hono's server replaces them
  const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  return served(server, prefetch, prefetchd);
}

/** @param prefix The plugin is registered below it */
export async function fastifySite(prefix = ''): Promise<Running> {
  const prefetchd = calm();
  const app = fastify();
  const site = async (scope: FastifyInstance) => {
    await scope.register(fastifyHints, { prefetchd });
    // A HEAD fails where Fastify is given a Response.
    for (const path of ['/', '/news'])
      scope.get(path, (_, reply) => reply.headers(html).send(page));
    if (prefix === '') scope.get('/*', ({ url }, reply) => reply.send(respond(url)));
  };
  await (prefix === '' ? site(app) : app.register(site, { prefix }));
  const sibling = async (scope: FastifyInstance) => {
    await scope.register(fastifyHints, { prefetchd });
  };
  if (prefix !== '') await app.register(sibling, { prefix });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await app.close();
    await prefetchd.close();
  });
  return running((app.server.address() as AddressInfo).port, prefetchd);
}

/** @param prefix Middleware takes it from the path, as koa-mount does */
export async function koaSite(prefix = ''): Promise<Running> {
  const prefetchd = calm();
  const prefetch = nodeHints({ prefetchd, ...(prefix !== '' && { prefix }) });
  const app = new Koa();
  app.use((ctx, next) => {
    ctx.path = ctx.path.slice(prefix.length);
    return next();
  });
  app.use((ctx, next) =>
    new Promise<void>((done) => prefetch(ctx.req, ctx.res, () => done())).then(next),
  );
  app.use((ctx) => {
    const { status, headers, body } = respond(ctx.path);
    ctx.body = body;
    ctx.res.setHeaders(headers);
    ctx.status = status;
  });
  return served(app.listen(0, '127.0.0.1'), prefetch, prefetchd);
}

/** Until the test is over. */
async function served(
  server: Server,
  prefetch: Pick<Hints, 'close'>,
  prefetchd: Prefetchd,
): Promise<Running> {
  if (!server.listening) await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await prefetch.close();
    await prefetchd.close();
  });
  return running((server.address() as AddressInfo).port, prefetchd);
}

export const frameworks = [
  ['Koa, by loadahead/hints', koaSite],
  ['Hono on Node, by loadahead/web', honoSite],
  ['Fastify, by loadahead/fastify', fastifySite],
] as const;
