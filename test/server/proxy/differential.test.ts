// What comes out of the proxy, byte for byte, beside what went in: every method, spelled in every way, framed in
// every way (framings.ts), over HTTP/1.0, 1.1 and 2. A strict reader at the other end sees exactly the requests that
// were sent and may pass, with their content, and nothing else; nginx and Apache httpd, who read in their own ways,
// log them and nothing else.

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createProxy } from '../../../server/index.ts';
import { startApache, whyNoApache } from '../../support/apache.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { startNginx, whyNoNginx } from '../../support/nginx.ts';
import { StrictReader, type StrictRequest } from '../../support/strict-reader.ts';
import { listening } from '../listening.ts';
import { RawClient } from '../raw-client.ts';
import {
  accepted,
  acceptedChunks,
  methods,
  refused,
  requestBytes,
  smuggledBy,
  spellings,
} from './framings.ts';
import { requestByHttp2 } from './raw-http2.ts';

interface Sent {
  readonly id: string;
  readonly method: string;
  readonly bytes: string;
  /** Undefined: it is refused. */
  readonly received: string | undefined;
}

interface StrictSite extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: StrictRequest[];
  /** Of connections that are open or were closed in the middle of a request. */
  problems(): string[];
}

/** A proxy before a server that reads strictly and answers each request with its target in X-Target. */
async function startStrictSite(): Promise<StrictSite> {
  const requests: StrictRequest[] = [];
  const readers: StrictReader[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    const reader = new StrictReader((request) => {
      requests.push(request);
      socket.write(`HTTP/1.1 200 OK\r\nX-Target: ${request.target}\r\nContent-Length: 0\r\n\r\n`);
    });
    readers.push(reader);
    socket.on('data', (chunk) => reader.read(chunk as Buffer));
  });
  const upstream = `http://127.0.0.1:${await listening(server)}`;
  const proxy = createProxy({ upstream, ...withConstants({ closeTimeoutMs: 500 }) });
  const { port, url } = await proxy.listen();
  return {
    port,
    url,
    requests,
    problems: () => readers.flatMap(({ problem }) => problem ?? []),
    async [Symbol.asyncDispose]() {
      await proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function* combinations(versions: readonly string[], some = methods): Generator<Sent> {
  let count = 0;
  for (const version of versions) {
    const mayPass = version === '1.1' ? { ...accepted, ...acceptedChunks } : accepted;
    for (const framing of Object.values({ ...refused, ...acceptedChunks, ...mayPass })) {
      const passes = Object.values(mayPass).includes(framing);
      for (const method of some) {
        for (const spell of spellings) {
          const id = `${version}-${++count}`;
          const framed = framing(spell, smuggledBy(id));
          const bytes = requestBytes(method, `/${id}`, framed, version);
          yield { id, method, bytes, received: passes ? framed.received : undefined };
        }
      }
    }
  }
}

/** Runs jobs, so many at a time. */
async function inParallel<Job>(
  jobs: Iterable<Job>,
  width: number,
  run: (job: Job) => Promise<void>,
): Promise<void> {
  const iterator = jobs[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** One connection: all that came on it when `count` answers came, or when the proxy closed it. */
function exchange(port: number, bytes: string, count: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  return new Promise((resolve, reject) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if ((text.match(/x-target/gi)?.length ?? 0) >= count) socket.destroy();
    });
    socket.on('end', () => socket.end());
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });
}

const perConnection = 25;

function batches(sent: readonly Sent[]): Sent[][] {
  const passing = sent.filter(({ received }) => received !== undefined);
  const all: Sent[][] = sent.filter(({ received }) => received === undefined).map((one) => [one]);
  for (let i = 0; i < passing.length; i += perConnection) {
    all.push(passing.slice(i, i + perConnection));
  }
  return all;
}

async function send(port: number, batch: readonly Sent[], problems: string[]): Promise<void> {
  const passes = batch[0]?.received !== undefined;
  const bytes = batch.map((one) => one.bytes).join('');
  const behind = passes ? '' : smuggledBy(`behind-${batch[0]?.id}`);
  const text = await exchange(port, bytes + behind, passes ? batch.length : 1);
  const seen = [...text.matchAll(/^X-Target: \/(\S+)\r$/gim)].map(([, id]) => id);
  const wanted = passes ? batch.map(({ id }) => id) : [];
  const isRefused = /^HTTP\/1\.1 400 /.test(text);
  if (seen.join() === wanted.join() && isRefused !== passes) return;
  problems.push(`${JSON.stringify(bytes.slice(0, 300))}: ${JSON.stringify(text.slice(0, 300))}`);
}

const forwardedFor = ({ fields }: StrictRequest) =>
  fields.filter(([name]) => name.toLowerCase() === 'x-forwarded-for').map(([, value]) => value);

test('HTTP/1.0 and 1.1: each request that may pass arrives once, whole, and nothing beside it', async () => {
  await using site = await startStrictSite();
  const sent = [...combinations(['1.0', '1.1'])];
  expect(sent.length).toBeGreaterThan(5_000);
  const problems: string[] = [];
  await inParallel(batches(sent), 32, (batch) => send(site.port, batch, problems));
  expect(problems).toEqual([]);
  expect(site.problems()).toEqual([]);
  const wanted = sent.filter(({ received }) => received !== undefined);
  const arrived = site.requests.map((one) => `${one.method} ${one.target} ${one.content}`);
  const expected = wanted.map((one) => `${one.method} /${one.id} ${one.received}`);
  expect(arrived.sort()).toEqual(expected.sort());
  for (const request of site.requests) {
    expect(forwardedFor(request)).toEqual(['127.0.0.1']);
    expect(request.trailers.map(([name]) => name.toLowerCase())).not.toContain('host');
  }
}, 60_000);

test('HTTP/2: the same for content with a length, without one, with trailers, and with a wrong one', async () => {
  await using site = await startStrictSite();
  const session = connectHttp2(site.url);
  const wanted: string[] = [];
  let count = 0;
  const usual = { hasLength: false, content: '', trailers: false, isWhole: false };
  const ask = async (method: string, how: Partial<typeof usual>) => {
    const { hasLength, content, trailers, isWhole } = { ...usual, ...how };
    const id = `h2-${++count}`;
    const inner = content && content + smuggledBy(id);
    wanted.push(`${method} /${id} ${inner}`);
    const length = hasLength && { 'content-length': String(inner.length) };
    const fields = { ':method': method, ':path': `/${id}`, ...length };
    const stream = session.request(fields, { endStream: isWhole, waitForTrailers: trailers });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '1' }));
    if (!isWhole) stream.end(inner);
    const [headers] = await once(stream, 'response');
    expect([headers[':status'], headers['x-target']]).toEqual([200, `/${id}`]);
    stream.resume();
    await once(stream, 'close');
  };
  await inParallel(methods, 16, async (method) => {
    await ask(method, { isWhole: true });
    await ask(method, {});
    await ask(method, { hasLength: true });
    await ask(method, { hasLength: true, content: 'x' });
    await ask(method, { content: 'x' });
    await ask(method, { content: 'x', trailers: true });
  });
  session.close();
  await inParallel(methods, 16, async (method) => {
    const fields = (length: number) => {
      const pseudo = { ':method': method, ':path': `/wrong-${length}`, ':scheme': 'http' };
      const all = { ...pseudo, ':authority': 'a', 'content-length': String(length) };
      return Object.entries(all);
    };
    const inner = smuggledBy('h2');
    const wrong = async (length: number, content?: string) =>
      expect(await requestByHttp2(site.port, fields(length), content)).toMatch(/reset|goaway/);
    for (const length of [0, 10, inner.length + 10]) await wrong(length, inner);
    await wrong(10);
  });
  expect(site.problems()).toEqual([]);
  const arrived = site.requests.map((one) => `${one.method} ${one.target} ${one.content}`);
  // One that is announced without content may be on its way, without any, before there is some.
  const others = arrived.filter((line) => !/^[A-Z-]+ \/wrong-0 $/.test(line));
  expect(others.sort()).toEqual(wanted.sort());
}, 30_000);

/** Methods that the servers know, and one they do not. */
const sample = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE'];

interface Logging {
  readonly url: string;
  /** Method, target and X-Forwarded-For of each request. */
  log(): Promise<string[]>;
}

async function startLoggingNginx(folder: string): Promise<Logging & AsyncDisposable> {
  const log = join(folder, 'nginx.log');
  const nginx = await startNginx(
    ({ port }) => `log_format all "$request_method $request_uri $http_x_forwarded_for";
      access_log ${log} all; keepalive_requests 100000;
      server { listen 127.0.0.1:${port}; location / { return 200 "hello"; } }`,
  );
  return { ...nginx, log: async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1) };
}

async function startLoggingApache(folder: string): Promise<Logging & AsyncDisposable> {
  await writeFile(join(folder, 'index.html'), 'hello');
  const apache = await startApache(folder);
  return {
    url: apache.url,
    // Targets have no file of their own there: they are queries.
    log: async () =>
      (await apache.log()).map((line) => line.replace(/^(\S+) \S*\?(\S+) (\S+) .*$/, '$1 /?$2 $3')),
    [Symbol.asyncDispose]: () => apache[Symbol.asyncDispose](),
  };
}

describe.each([
  ['nginx', whyNoNginx, startLoggingNginx],
  ['Apache httpd', whyNoApache, startLoggingApache],
] as const)('in front of %s', (_name, whyNot, start) => {
  it.skipIf(whyNot !== '')(
    `its log has what was sent, and nothing else${whyNot && ` (${whyNot})`}`,
    async () => {
      await using server = await start(folderOfTest());
      // Few connections: what is left on one is read by the next request.
      const few = withConstants({ maxUpstreamConnections: 4 });
      await using proxy = createProxy({ upstream: server.url, ...few });
      const { port } = await proxy.listen();
      const wanted: string[] = [];
      await inParallel(combinations(['1.1', '1.0'], sample), 16, async (one) => {
        const bytes = one.bytes.replace(`/${one.id} `, `/?${one.id} `);
        const client = new RawClient(port);
        client.send(bytes);
        const next = `next-${one.id}`;
        if (one.received === undefined) {
          await client.ended;
          expect(client.bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 400 /);
        } else {
          wanted.push(`${one.method} /?${one.id} 127.0.0.1`);
          client.send(`GET /?${next} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
          wanted.push(`GET /?${next} 127.0.0.1`);
          await client.ended;
          const text = client.bytes.toString('latin1');
          expect(text).toMatch(/HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)+\r\nhello$/);
          expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(2);
        }
        client.socket.destroy();
      });
      const log = async () =>
        (await server.log()).filter((line) => /next|smuggled|1\.[01]/.test(line));
      await eventually(async () => (await log()).length >= wanted.length, 'all lines of the log');
      expect((await log()).sort()).toEqual(wanted.sort());
    },
    60_000,
  );
});
