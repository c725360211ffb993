// The request side of the proxy. A case is what one client sends, cut into segments: requests of a grammar, framed
// well or badly, then bytes changed here and there. The invariants:
// - the bytes that reach the upstream are whole requests, strictly read, and nothing else;
// - each of them went past the proxy's handlers, under the same method and target, and has the client's address in
//   X-Forwarded-For, which the client cannot set: none was slipped in;
// - the connection ends, and a request that is sent behind it is answered with what is its own.

import { connect } from 'node:net';
import { withConstants } from '../../options/options.ts';
import { createProxy, type ProxyOptions } from '../../server/index.ts';
import {
  accepted,
  acceptedChunks,
  methods,
  refused,
  requestBytes,
  smuggledBy,
  spellings,
} from '../server/proxy/framings.ts';
import { drawingBy, type FuzzTarget, Problems, segmentsOf, type Tried, within } from './fuzz.ts';
import { startStrictUpstream } from './strict-upstream.ts';

/** Segments, one character an octet. */
export type ProxyCase = readonly string[];

const mostWaitMs = 10_000;
const framings = Object.values({ ...accepted, ...acceptedChunks, ...refused });
/** What parsers disagree about. */
const pieces = [
  '\r\n', '\n', '\r', '\0', ' ', '\t', ':', ',', ';', '0', '-1', '+', '"', '\x0b', '\x7f', '\xff',
  'Transfer-Encoding: chunked\r\n', 'Content-Length: 3\r\n', 'Content-Length: 0\r\n', 'Connection: close\r\n',
  'Connection: Content-Length, Transfer-Encoding\r\n', 'Expect: 100-continue\r\n', 'Upgrade: websocket\r\n',
  'Connection: Upgrade\r\n', 'TE: trailers\r\n', 'Trailer: Content-Length\r\n', 'Host: b\r\n',
  'X-Forwarded-For: 192.0.2.66\r\n', '0\r\n\r\n', '\r\n\r\n', 'HTTP/1.0', 'HTTP/1.1', 'chunked', 'GET ',
  'PRI * HTTP/2.0\r\n\r\n',
]; // biome-ignore format: a list of words

function make(random: () => number): ProxyCase {
  const { below, pick } = drawingBy(random);
  let bytes = '';
  for (let n = 1 + below(4); n > 0; n--) {
    const id = `${below(1e6)}`;
    const framed = pick(framings)(pick(spellings), smuggledBy(id));
    bytes += requestBytes(pick(methods), `/${id}`, framed, random() < 0.8 ? '1.1' : '1.0');
  }
  // Half of the cases are as the grammar made them.
  for (let n = random() < 0.5 ? 0 : 1 + below(4); n > 0; n--) {
    const at = below(bytes.length);
    const gone = random() < 0.5 ? 0 : 1 + below(random() < 0.9 ? 3 : 40);
    const put = random() < 0.7 ? pick(pieces) : String.fromCharCode(below(256));
    bytes = bytes.slice(0, at) + put + bytes.slice(at + gone);
  }
  return segmentsOf(bytes, random, { whole: 0.5, most: 200 });
}

/** All that came until the connection ended; undefined when it does not end. */
async function send(port: number, segments: readonly string[]): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  let came = '';
  socket.on('data', (chunk) => {
    came += chunk.toString('latin1');
  });
  const ended = new Promise<string>((resolve) => {
    for (const event of ['end', 'error', 'close']) socket.on(event, () => resolve(came));
  });
  for (const segment of segments) {
    socket.write(segment, 'latin1');
    if (segments.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
  const text = await within<string | undefined>(mostWaitMs, ended, () => undefined);
  socket.destroy();
  return text;
}

export const proxyTarget: FuzzTarget<ProxyCase> = {
  name: 'proxy',
  casesInTests: 200,
  make,
  start: () => startProxy(),
};

export async function startProxy(limits: Partial<ProxyOptions> = {}): Promise<Tried<ProxyCase>> {
  const problems = new Problems();
  /** Requests that went past the handlers and were not seen at the upstream yet. */
  const passed = new Map<string, number>();
  const upstream = await startStrictUpstream(({ method, target, fields }, socket) => {
    const what = `${method} ${target}`;
    const left = passed.get(what) ?? 0;
    // Handlers are not for websockets.
    const isWebSocket = fields.some(([name]) => name.toLowerCase() === 'upgrade');
    if (left === 0 && !isWebSocket) problems.tell(`${what} reached the upstream past the handlers`);
    passed.set(what, left - 1);
    const askers = fields.filter(([name]) => name.toLowerCase() === 'x-forwarded-for');
    if (askers.map(([, value]) => value).join() !== '127.0.0.1') {
      problems.tell(`${what} came for ${JSON.stringify(askers)}`);
    }
    socket.write(`HTTP/1.1 200 OK\r\nX-Target: ${target}\r\nContent-Length: 0\r\n\r\n`);
  }, problems.tell);
  const proxy = createProxy({
    upstream: upstream.url,
    trustProxy: false,
    // What one case left on a connection is read by the next.
    ...withConstants({ maxUpstreamConnections: 2, closeTimeoutMs: 100 }),
    ...limits,
    handlers: [
      (req, _res, next) => {
        // The target as it goes on: in origin-form.
        const target = req.url?.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
        const what = `${req.method} ${target.startsWith('?') ? `/${target}` : target}`;
        passed.set(what, (passed.get(what) ?? 0) + 1);
        next();
      },
    ],
  });
  const { port } = await proxy.listen();
  let cases = 0;
  return {
    async run(segments) {
      passed.clear();
      if ((await send(port, segments)) === undefined) problems.tell('the connection did not end');
      const own = `/own-${++cases}`;
      const answer = await send(port, [
        `GET ${own} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      ]);
      if (!answer?.includes(`\r\nX-Target: ${own}\r\n`)) {
        problems.tell(`the request behind it was answered ${JSON.stringify(answer)}`);
      }
      return problems.take();
    },
    async [Symbol.asyncDispose]() {
      problems[Symbol.dispose]();
      await proxy.close();
      upstream.close();
    },
  };
}
