import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ask } from '../server/raw-client.ts';
import { servingLoadahead } from '../support/loadahead-command.ts';
import { type Serving, servingPrefetchd } from '../support/prefetchd-command.ts';
import { response, startRawServer } from '../support/raw-server.ts';
import { type Flood, manyFields, stalledReaders, tinyChunks, tinyFrames } from './small-pieces.ts';

const env = { NODE_OPTIONS: '--max-old-space-size=512' };
const mostMegabytes = 350;
const mostP95Ms = 400;
const questions = 150;

interface Served extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

const portOf = (url: string) => Number(/:(\d+)\/?$/.exec(url)?.[1]);

/** What reads no upload, and answers in chunks of one byte without end. */
const startRawSite = () => {
  const chunks = Buffer.from('1\r\na\r\n'.repeat(10_000));
  return startRawServer({
    onRequest({ path }, connection) {
      if (path === '/unread') connection.socket.pause();
      else if (path === '/chunks') {
        connection.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        connection.pour(chunks);
      } else if (path !== '/slow') connection.write(response('ok'));
    },
  });
};

async function proxy(): Promise<Served> {
  const site = await startRawSite();
  const args = ['proxy', '--port', '0', '--upstream', site.origin];
  const serving = await servingPrefetchd(tmpdir(), args, env);
  return {
    ...servedBy(serving),
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

const servedBy = (serving: Serving): Served => ({
  pid: serving.child.pid as number,
  port: portOf(serving.url),
  [Symbol.asyncDispose]: () => serving[Symbol.asyncDispose](),
});

const service = async () =>
  servedBy(await servingPrefetchd(tmpdir(), ['serve', '--port', '0'], env));

const origin = async () =>
  servedBy(
    await servingLoadahead(fileURLToPath(new URL('../../docs/', import.meta.url)), ['.'], env),
  );

const commands = {
  'prefetchd proxy': proxy,
  'loadahead serve': origin,
  'prefetchd serve': service,
};
const floods = {
  'uploads in DATA frames of one byte': (port: number) => tinyFrames(port, 1, 95),
  'the same on four connections': (port: number) => tinyFrames(port, 4, 95),
  'uploads in chunks of one byte': (port: number) => tinyChunks(port, 60),
  'bodies in chunks of one byte': (port: number) =>
    tinyChunks(port, 60, '/v1/accesses', 'Content-Type: application/json\r\n'),
  'stalled readers of chunks of one byte': (port: number) => stalledReaders(port, 60, '/chunks'),
  'pipelines of requests with 3,900 fields': (port: number) => manyFields(port, 150),
  'pipelines of requests with 200 fields': (port: number) => manyFields(port, 150, 199),
};

/** Times of an answer to another client, in order. */
async function answeredDuring(flood: Flood, port: number): Promise<number[]> {
  const timesMs: number[] = [];
  try {
    for (let n = 0; n < questions; n++) {
      const startMs = performance.now();
      await ask(port, '/');
      timesMs.push(performance.now() - startMs);
    }
  } finally {
    flood.stop();
  }
  return timesMs.sort((a, b) => a - b);
}

test.each<[keyof typeof commands, keyof typeof floods]>([
  ['prefetchd proxy', 'uploads in DATA frames of one byte'],
  ['prefetchd proxy', 'the same on four connections'],
  ['prefetchd proxy', 'uploads in chunks of one byte'],
  ['prefetchd proxy', 'stalled readers of chunks of one byte'],
  ['prefetchd proxy', 'pipelines of requests with 3,900 fields'],
  ['prefetchd proxy', 'pipelines of requests with 200 fields'],
  ['loadahead serve', 'uploads in DATA frames of one byte'],
  ['loadahead serve', 'uploads in chunks of one byte'],
  ['loadahead serve', 'pipelines of requests with 3,900 fields'],
  ['loadahead serve', 'pipelines of requests with 200 fields'],
  ['prefetchd serve', 'bodies in chunks of one byte'],
  ['prefetchd serve', 'pipelines of requests with 3,900 fields'],
])(
  '%s and %s: others are answered, and memory is bounded',
  async (command, kind) => {
    await using served = await commands[command]();
    const timesMs = await answeredDuring(floods[kind](served.port), served.port);
    const status = readFileSync(`/proc/${served.pid}/status`, 'latin1');
    const megabytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    expect(megabytes).toBeLessThan(mostMegabytes);
    expect(timesMs[Math.floor(0.95 * questions)]).toBeLessThan(mostP95Ms);
  },
  60_000,
);
