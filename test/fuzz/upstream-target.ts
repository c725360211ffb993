// The response side of the proxy. A case is what a site sends for one request: interim responses, a status, a reason,
// fields, content and trailers of a grammar, then bytes changed here and there, and how its connection ends. It is
// asked for by an HTTP/1.1 client, which sends another request behind it, and by an HTTP/2 client, which does the same
// on the same connection. The invariants:
// - nothing is thrown past the proxy;
// - each client gets a response that a strict reader takes, or its connection or stream is cut;
// - the other request on the same connection is answered with what is its own, unless its connection is cut, or with 502
//   when it met the surplus bytes of the case on its way.

import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { withConstants } from '../../options/options.ts';
import { createProxy } from '../../server/index.ts';
import { readAnswer } from '../support/strict-reader.ts';
import { drawingBy, type FuzzTarget, Problems, within } from './fuzz.ts';
import { startStrictUpstream } from './strict-upstream.ts';

interface UpstreamCase {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** One character an octet. */
  readonly bytes: string;
  readonly end: 'keep' | 'close' | 'reset';
}

const mostWaitMs = 5_000;
const statuses = [
  '200', '200', '200', '204', '205', '206', '301', '304', '404', '500', '599', '600', '999', '099', '000', '1000', '2',
  '100', '101', '102', '103', '199',
]; // biome-ignore format: a list of words
const reasons = [
  'OK', '', ' ', 'a\x01b', '\x7f', '\x1b[31m', '\xe9', 'a\tb', 'a\rb', '\0', 'x'.repeat(300),
]; // biome-ignore format: a list of words
/** Those that HTTP/2 allows once, connection-specific ones, lists, and none of them. */
const names = [
  'Date', 'ETag', 'Content-Type', 'Location', 'Expires', 'Last-Modified', 'X-Content-Type-Options', 'Age', 'Retry-After',
  'Content-Encoding', 'Content-Location', 'Content-Range', 'Host', 'Authorization', 'HTTP2-Settings', 'TE', 'Upgrade',
  'Keep-Alive', 'Proxy-Connection', 'Connection', 'Trailer', 'Content-Length', 'Transfer-Encoding', 'Set-Cookie', 'Link',
  'Vary', 'Server-Timing', 'X-A', '__proto__', 'constructor', ':status', 'status', '', 'a b',
]; // biome-ignore format: a list of words
const values = [
  'a', '', ' ', '"x"', '3', '0', 'trailers', 'chunked', 'close', 'keep-alive, X-A', 'Content-Length', 'websocket',
  'a\tb', '\xff', '\x7f', 'a\x01b', 'a\0b', 'Tue, 15 Nov 1994 08:12:31 GMT', '</a>; rel=preload', 'v'.repeat(500),
]; // biome-ignore format: a list of words
const pieces = [
  '\r\n', '\n', '\r', '\0', ' ', ':', '0\r\n\r\n', '\r\n\r\n', '\x01', '\xff', 'HTTP/1.1 ', ' 304 ', ' 101 ',
]; // biome-ignore format: a list of words

function make(random: () => number): UpstreamCase {
  const { below, pick } = drawingBy(random);
  const isRare = () => random() < 0.1;
  const status = () => `HTTP/1.${isRare() ? 0 : 1} ${pick(statuses)} ${pick(reasons)}\r\n`;
  const fields = (most: number) => {
    let lines = '';
    for (let n = below(most); n > 0; n--) {
      const line = `${pick(names)}: ${pick(values)}\r\n`;
      lines += line.repeat(random() < 0.3 ? 2 : 1);
    }
    return lines;
  };
  let bytes = '';
  for (let n = random() < 0.6 ? 0 : 1 + below(3); n > 0; n--) {
    bytes += `HTTP/1.1 ${pick(['100', '102', '103', '103', '101', '199'])} ${pick(reasons)}\r\n${fields(4)}\r\n`;
  }
  const content = 'of the case';
  const framing = below(4);
  bytes += random() < 0.5 ? 'HTTP/1.1 200 OK\r\n' : status();
  bytes += fields(5);
  if (framing === 0) bytes += `Content-Length: ${content.length}\r\n\r\n${content}`;
  else if (framing === 1) bytes += `\r\n${content}`;
  else {
    const trailers = fields(4);
    bytes += `Transfer-Encoding: chunked\r\n${isRare() ? 'Trailer: X-A\r\n' : ''}\r\n`;
    bytes += `${content.length.toString(16)}\r\n${content}\r\n0\r\n${trailers}\r\n`;
  }
  for (let n = random() < 0.7 ? 0 : 1 + below(3); n > 0; n--) {
    const at = below(bytes.length);
    bytes = bytes.slice(0, at) + pick(pieces) + bytes.slice(at + (random() < 0.5 ? 0 : below(4)));
  }
  const method = pick(['GET', 'GET', 'GET', 'HEAD', 'POST'] as const);
  return { method, bytes, end: random() < 0.9 ? 'close' : pick(['keep', 'reset'] as const) };
}

function isOwn(content: string | undefined, own: string): boolean {
  return content === own || content?.startsWith('502 Bad Gateway\n') === true;
}

/** What is wrong with what an HTTP/1.1 client gets. */
async function askByHttp1(port: number, method: string, own: string): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  let isEnded = false;
  let judge = (): string | undefined => undefined;
  const judged = new Promise<string | undefined>((resolve) => {
    const look = () => {
      let problem: string | undefined;
      try {
        const first = readAnswer(text, method, { isEnded });
        const rest = first && text.slice(first.length);
        const second = rest && readAnswer(rest, 'GET', { isEnded });
        if (second && !isOwn(second.content, own)) problem = 'the second answer is not its own';
        else if (second && second.length < (rest?.length ?? 0)) problem = 'there is a third answer';
        else if (!second && !isEnded) return;
      } catch (error) {
        problem = (error as Error).message;
      }
      resolve(problem && `HTTP/1.1: ${problem} in ${JSON.stringify(text)}`);
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      look();
    });
    const onEnd = () => {
      isEnded = true;
      look();
    };
    socket.on('end', onEnd).on('close', onEnd).on('error', onEnd);
    judge = () => `HTTP/1.1: neither answered nor ended after ${JSON.stringify(text)}`;
  });
  const length = method === 'POST' ? 'Content-Length: 0\r\n' : '';
  socket.write(`${method} /case HTTP/1.1\r\nHost: a\r\n${length}\r\n`);
  socket.write(`GET ${own} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const problem = await within(mostWaitMs, judged, () => judge());
  socket.destroy();
  return problem;
}

/** What is wrong with what an HTTP/2 client gets, whose framing Node's own client judges. */
async function askByHttp2(port: number, method: string, own: string): Promise<string | undefined> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  let broken: string | undefined;
  session.on('error', (error) => {
    broken ??= `HTTP/2: the connection failed with ${error.message}`;
  });
  session.on('goaway', (code) => {
    if (code !== constants.NGHTTP2_NO_ERROR) broken ??= `HTTP/2: GOAWAY with ${code}`;
  });
  const ask = (verb: string, path: string) =>
    new Promise<string | undefined>((resolve) => {
      const stream = session.request({ ':method': verb, ':path': path });
      let text = '';
      let status: number | undefined;
      stream.setEncoding('latin1');
      stream.on('response', (fields) => {
        status = fields[':status'];
      });
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('error', () => {});
      stream.on('close', () => {
        const isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR;
        if (isWhole && status === undefined) resolve(undefined);
        else resolve(isWhole ? text : 'cut');
      });
      stream.end();
    });
  const both = Promise.all([ask(method, '/case'), ask('GET', own)]);
  const problem = await within(
    mostWaitMs,
    both.then(([first, second]) => {
      if (first === undefined) return 'HTTP/2: the stream ended without a response';
      return isOwn(second, own) ? undefined : `HTTP/2: the second answer is ${second}`;
    }),
    () => 'HTTP/2: no answer',
  );
  session.destroy();
  return broken ?? problem;
}

export const upstreamTarget: FuzzTarget<UpstreamCase> = {
  name: 'upstream',
  casesInTests: 100,
  make,
  async start() {
    const problems = new Problems();
    let current: UpstreamCase | undefined;
    const upstream = await startStrictUpstream(({ target }, socket) => {
      if (target !== '/case') {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n${target}`);
      } else if (current) {
        socket.write(current.bytes, 'latin1');
        if (current.end === 'close') socket.end();
        if (current.end === 'reset') socket.write('', () => socket.resetAndDestroy());
      }
    }, problems.tell);
    const proxy = createProxy({
      upstream: upstream.url,
      ...withConstants({ maxUpstreamConnections: 4 }),
      responseTimeoutMs: 1_000,
      ...withConstants({ closeTimeoutMs: 100, upstreamIdleTimeoutMs: 1_000 }),
    });
    const { port } = await proxy.listen();
    let cases = 0;
    return {
      async run(one) {
        current = one;
        const own = `/own-${++cases}`;
        const asking = [askByHttp1, askByHttp2].map((ask) => ask(port, one.method, own));
        for (const found of await Promise.all(asking)) problems.tell(found);
        return problems.take();
      },
      async [Symbol.asyncDispose]() {
        problems[Symbol.dispose]();
        await proxy.close();
        upstream.close();
      },
    };
  },
};
