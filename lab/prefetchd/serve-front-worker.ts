// A front server: node serve-front-worker.ts KIND [UPSTREAM], prints its port. With hints, its prefetchd has learned
// the site before it listens.

import { Agent, createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createProxyServer } from 'httpxy';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { createProxy, hints } from '../../server/index.ts';
import { modelSite } from './model-settings.ts';
import { agentOf } from './serve-requests.ts';
import { batchOf, siteAccesses } from './site.ts';

const learnedBefore = 300_000;
const page = '<!doctype html><title>hello</title><p>hello world';
const [kind = '', upstream = ''] = process.argv.slice(2);

/** @param backsOff false: it works however busy the process is */
function learnedHints({ backsOff }: { backsOff: boolean }) {
  const prefetchd = createPrefetchd(backsOff ? {} : { load: () => 0 });
  const accesses = batchOf(siteAccesses({ ...modelSite, seed: 7 }), learnedBefore);
  // Of now: what is old counts less.
  const laterMs = Date.now() - (accesses.at(-1)?.timeMs ?? 0);
  for (const access of accesses) {
    const timeMs = access.timeMs + laterMs;
    prefetchd.observe({ ...access, client: agentOf(access.client), timeMs });
  }
  return hints({ prefetchd, trustProxy: 'loopback' });
}

const hello: RequestListener = (_, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.setHeader('Content-Length', page.length);
  response.end(page);
};

function withHints(given: { backsOff: boolean }): RequestListener {
  const middleware = learnedHints(given);
  return (request, response) => middleware(request, response, () => hello(request, response));
}

function expressApp(given: { backsOff: boolean } | null): RequestListener {
  const app = express();
  if (given !== null) app.use(learnedHints(given));
  app.use((_, response) => void response.type('html').send(page));
  return app;
}

function bareHttpxy(): RequestListener {
  const agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
  const proxy = createProxyServer({ target: upstream, agent, xfwd: true });
  return (request, response) => void proxy.web(request, response);
}

const servers: Record<string, () => RequestListener> = {
  http: () => hello,
  'http hints': () => withHints({ backsOff: true }),
  'http hints always': () => withHints({ backsOff: false }),
  express: () => expressApp(null),
  'express hints': () => expressApp({ backsOff: true }),
  'express hints always': () => expressApp({ backsOff: false }),
  httpxy: bareHttpxy,
};

async function listen(): Promise<number> {
  if (kind.startsWith('proxy')) {
    const backsOff = kind !== 'proxy hints always';
    const handlers = kind === 'proxy' ? [] : [learnedHints({ backsOff })];
    const { port } = await createProxy({ upstream, handlers }).listen({ port: 0 });
    return port;
  }
  const make = servers[kind];
  if (make === undefined) throw new Error(`no server ${kind}`);
  const server = createServer(make());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  return (server.address() as AddressInfo).port;
}

process.stdout.write(`${await listen()}\n`);
