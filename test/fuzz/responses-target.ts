// The response side of the loader. A case is what a server answers for each path, attempt by attempt: heads and bodies of
// a grammar, framed well or badly, coded, with interim responses before and surplus bytes behind, then bytes changed here
// and there, cut into segments, kept, closed or reset. It is asked by loadPage and by createFetch. The invariants:
// - a body names its URL in its first bytes: none is handed out, or stored, under another;
// - each load and each fetch ends by itself, with a body or with a LoaderError;
// - nothing else is thrown anywhere.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { LoaderError } from '../../loader/errors.ts';
import {
  createFetch,
  createHttpCache,
  createLoader,
  createMemoryStore,
  type HttpCache,
} from '../../loader/index.ts';
import type { Protocol } from '../../loader/page-load.ts';
import { withConstants } from '../../options/options.ts';
import { answering, type RawConnection } from '../support/raw-server.ts';
import { drawingBy, type FuzzTarget, Problems, segmentsOf, takingTurns, within } from './fuzz.ts';

type End = 'keep' | 'close' | 'reset';

interface Reply {
  /** One character an octet. */
  readonly segments: readonly string[];
  readonly end: End;
}

interface ResponsesCase {
  readonly protocol: Protocol;
  /** Of a path, attempt by attempt; the last one again and again. */
  readonly replies: Readonly<Record<string, readonly Reply[]>>;
}

const protocols: readonly Protocol[] = ['pipelined', 'pipelined', 'persistent', 'auto', 'http1.0'];
const images = ['/1', '/2', '/3', '/4', '/5'];
const paths = ['/', ...images];
const mostWaitMs = 10_000;
const quick = {
  ...withConstants({ pipeline: { stallMs: 60, settleMs: 30 }, timeouts: { resourceMs: 400 } }),
  timeouts: { responseMs: 150, pageMs: 800 },
};
/** What readers disagree about. */
const pieces = [
  '\r\n', '\n', '\r', '\0', ' ', '\t', ':', ',', ';', '0', '-1', '+', '"', '\x0b', '\xff', '0\r\n\r\n', '\r\n\r\n',
  'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: gzip\r\n', 'Content-Length: 3\r\n', 'Content-Length: 0\r\n',
  'Content-Encoding: gzip\r\n', 'Connection: close\r\n', 'Connection: Content-Length\r\n', 'Location: /1\r\n',
  'Content-Range: bytes 0-2/9\r\n', 'HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0', ' 204 ', ' 304 ', ' 100 ', ' 101 ', 'chunked',
  'X : a\r\n', 'no field\r\n', '\r\n folded', '\x01', 'Content-Length:\r\n',
]; // biome-ignore format: a list of words

function markOf(path: string): string {
  return `<<${path}>>`;
}

function textOf(path: string): string {
  const parts = path === '/' ? images.map((src) => `<img src="${src}">`).join('') : '';
  return markOf(path) + parts + markOf(path).repeat(3 + paths.indexOf(path));
}

function make(random: () => number): ResponsesCase {
  const { below, pick } = drawingBy(random);
  const isRare = () => random() < 0.1;

  function response(path: string): { bytes: string; end: End } {
    const status = isRare() ? pick([204, 206, 301, 304, 404, 500, 999]) : 200;
    const type = path === '/' ? 'text/html' : 'image/gif';
    const fields = [`Content-Type: ${type}`, 'Cache-Control: max-age=600'];
    let body = textOf(path);
    if (random() < 0.2) {
      const coding = pick(['gzip', 'deflate', 'br', 'identity', 'x-none']);
      fields.push(`Content-Encoding: ${coding}`);
      if (coding === 'gzip') body = gzipSync(body).toString('latin1');
      if (coding === 'deflate') body = deflateSync(body).toString('latin1');
    }
    let end: End = 'keep';
    const framing = below(10);
    if (framing < 5) {
      const off = isRare() ? pick([-3, -1, 1, 5, 1000]) : 0;
      fields.push(`${pick(['Content-Length', 'content-length'])}: ${body.length + off}`);
      if (isRare()) fields.push(`Content-Length: ${body.length}`);
    } else if (framing < 9) {
      fields.push(
        `Transfer-Encoding: ${isRare() ? pick(['gzip, chunked', 'identity', 'chunked, gzip']) : 'chunked'}`,
      );
      if (isRare()) fields.push('Content-Length: 5');
      const cut = below(body.length + 1);
      const chunks = [body.slice(0, cut), body.slice(cut)].filter((chunk) => chunk !== '');
      body = chunks
        .map(
          (chunk) =>
            `${chunk.length.toString(16)}${isRare() ? pick([';a=b', ' ', ' ;a']) : ''}\r\n${chunk}\r\n`,
        )
        .join('');
      if (!isRare()) body += `0\r\n${isRare() ? 'X-Trailer: a\r\n' : ''}\r\n`;
    } else end = 'close';
    if (isRare()) fields.push('Connection: close');
    const interim = isRare()
      ? pick(['HTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'])
      : '';
    const head = `HTTP/1.${random() < 0.9 ? 1 : 0} ${status} OK\r\n${fields.join('\r\n')}\r\n\r\n`;
    return { bytes: interim + head + body, end };
  }

  function reply(path: string): Reply {
    let { bytes, end } = response(path);
    if (isRare())
      bytes += pick(['\r\n', 'x', '\0', response(pick(paths)).bytes, response(path).bytes]);
    if (isRare()) end = pick(['close', 'reset'] as const);
    // In the head: a body that is changed is no longer what names its URL.
    for (let n = random() < 0.8 ? 0 : 1 + below(3); n > 0; n--) {
      const at = below(Math.max(1, bytes.indexOf('\r\n\r\n')));
      const gone = random() < 0.5 ? 0 : 1 + below(5);
      bytes = bytes.slice(0, at) + pick(pieces) + bytes.slice(at + gone);
    }
    if (isRare()) bytes = bytes.slice(0, below(bytes.length));
    return { segments: segmentsOf(bytes, random, { whole: 0.6, most: 300 }), end };
  }

  const replies: Record<string, Reply[]> = {};
  for (const path of paths) replies[path] = Array.from({ length: 1 + below(3) }, () => reply(path));
  return { protocol: pick(protocols), replies };
}

async function send({ segments, end }: Reply, connection: RawConnection): Promise<void> {
  for (const segment of segments) {
    if (!isOpen(connection)) return;
    connection.write(Buffer.from(segment, 'latin1'));
    if (segments.length > 1) await nextTurn();
  }
  if (end === 'close') connection.end();
  if (end === 'reset') connection.socket.resetAndDestroy();
}

const isOpen = ({ socket }: RawConnection) => !(socket.destroyed || socket.writableEnded);

/** What only a body of this path has, plain or in a coding whose name was lost. */
const signs = new Map(
  paths.map((path) => [
    path,
    [
      markOf(path),
      gzipSync(textOf(path)).toString('latin1').slice(10, 50),
      deflateSync(textOf(path)).toString('latin1').slice(2, 42),
    ],
  ]),
);

function firstSign(path: string, body: string): number {
  const places = (signs.get(path) ?? []).map((sign) => body.indexOf(sign)).filter((at) => at >= 0);
  return Math.min(Number.POSITIVE_INFINITY, ...places);
}

/** What is wrong with a body under its path: it begins with another's. What a wrong length adds behind is its server's. */
function wrongBody(path: string, body: string, where: string): string | undefined {
  const own = firstSign(path, body);
  const other = paths.find((each) => each !== path && firstSign(each, body) < own);
  if (other === undefined) return undefined;
  return `${where}: ${path} has the body of ${other}: ${JSON.stringify(body.slice(0, 80))}`;
}

function isTyped(error: unknown): boolean {
  return error instanceof LoaderError || (error as Error).cause instanceof LoaderError;
}

/** What is wrong with the bodies of all paths; a failure of the server's making is none of ours. */
async function readAll(origin: string, where: string, cache?: HttpCache) {
  const problems: (string | undefined)[] = [];
  await using fetch = createFetch({ ...quick, ...(cache && { cache }) });
  for (const path of paths) {
    try {
      const how = cache === undefined ? {} : ({ cache: 'only-if-cached' } as const);
      const response = await fetch(origin + path, how);
      const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
      const isItself = new URL(response.url || origin + path).pathname === path;
      if (isItself) problems.push(wrongBody(path, body, where));
    } catch (error) {
      if (!isTyped(error))
        problems.push(`${where}: ${path} failed with ${String((error as Error).stack)}`);
    }
  }
  return problems.find((problem) => problem !== undefined);
}

async function loadAll(origin: string, protocol: Protocol): Promise<string | undefined> {
  const cache = createHttpCache(createMemoryStore());
  try {
    await using loader = createLoader({ ...quick, protocol, cache });
    await loader.load(`${origin}/`);
  } catch (error) {
    return `the load failed with ${String((error as Error).stack)}`;
  }
  return readAll(origin, 'stored', cache);
}

export const responsesTarget: FuzzTarget<ResponsesCase> = {
  name: 'responses',
  casesInTests: 10,
  make,
  async start() {
    const problems = new Problems();
    return {
      async run({ protocol, replies }) {
        for (const [what, ask] of [
          ['the load', (origin: string) => loadAll(origin, protocol)],
          ['a fetch', (origin: string) => readAll(origin, 'fetched')],
        ] as const) {
          const asked = new Map<string, number>();
          const inTurn = takingTurns();
          await using server = await answering(({ path }, connection) => {
            const [own, before] = [replies[path] ?? [], asked.get(path) ?? 0];
            asked.set(path, before + 1);
            const reply = own[Math.min(before, own.length - 1)];
            if (reply !== undefined) inTurn(connection, () => send(reply, connection));
          });
          problems.tell(await within(mostWaitMs, ask(server.origin), () => `${what} did not end`));
        }
        await nextTurn();
        return problems.take();
      },
      async [Symbol.asyncDispose]() {
        problems[Symbol.dispose]();
      },
    };
  },
};
