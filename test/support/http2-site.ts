// A site over HTTP/2 and clear TCP, by prior knowledge (RFC 9113 3.3), that notes what it is asked.

import {
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ImagePage } from './image-page.ts';

export interface Http2Site extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly origin: string;
  /** Paths in the order they came. */
  readonly asked: string[];
  readonly sessions: ServerHttp2Session[];
}

export type Http2Answer = (
  path: string,
  stream: ServerHttp2Stream,
  /** The session it came on, from 1; how often this path was asked for so far, from 1. */
  at: { session: number; time: number; headers: IncomingHttpHeaders },
) => void;

export async function startHttp2Site(
  answer: Http2Answer,
  options: ServerOptions = {},
): Promise<Http2Site> {
  const server = createServer(options);
  const sessions: ServerHttp2Session[] = [];
  const asked: string[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
    const number = sessions.length;
    session.on('stream', (stream, headers) => {
      stream.on('error', () => {}); // the client may cancel it
      const path = headers[':path'] ?? '';
      asked.push(path);
      const time = asked.filter((each) => each === path).length;
      answer(path, stream, { session: number, time, headers });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ asked, sessions },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

/** The sound answer of a page of images. */
export const serving =
  (page: ImagePage) =>
  (path: string, stream: ServerHttp2Stream): void => {
    if (stream.destroyed || stream.closed) return;
    const body =
      path === '/' ? Buffer.from(page.html) : page.images.find((one) => one.path === path)?.body;
    const type = path === '/' ? 'text/html' : 'image/gif';
    const fields = { 'content-type': type, 'x-for': path, 'content-length': body?.length ?? 0 };
    stream.respond({ ':status': 200, ...fields });
    stream.end(body);
  };
