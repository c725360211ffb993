// A well-behaved site on node:http, which records what it was asked, bodies and all.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface HttpSite extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly origin: string;
  /** In the order they came. */
  readonly asked: Asked[];
}

/** @param answer gets each request when its body is there. */
export async function startHttpSite(
  answer: (asked: Asked, response: ServerResponse) => void,
): Promise<HttpSite> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(chunks).toString('latin1');
      const seen: Asked = { method, path: url, headers, body };
      asked.push(seen);
      answer(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
