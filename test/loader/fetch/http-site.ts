// A well-behaved site on node:http, which records what it was asked, bodies and all.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '../../server/listening.ts';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface HttpSite {
  /** Without a slash at the end. */
  readonly origin: string;
  /** In the order they came. */
  readonly asked: Asked[];
}

/** Until the test is over. @param answer gets each request when its body is there. */
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
  return { origin: `http://127.0.0.1:${await listening(server)}`, asked };
}
