// A site with Get-All on real sockets, and a client that reads an envelope as the loader does.

import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import type { HeaderPair } from '../../../http/header-pairs.ts';
import { fieldValue } from '../../../http/header-pairs.ts';
import { boundaryOf, MultipartReader } from '../../../loader/response/multipart.ts';
import { listening } from '../listening.ts';

export interface Part {
  readonly place: string;
  readonly fields: HeaderPair[];
  readonly body: Buffer;
}

export interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** null: no envelope. */
  readonly parts: Part[] | null;
  readonly body: Buffer;
  /** The response, and the envelope in it, has its end. Of a connection that was cut before, no status is known. */
  readonly isWhole: boolean;
}

export const listen = (listener: RequestListener) => listening(createServer(listener));

export function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Seen> {
  return new Promise((resolve) => {
    const options = { port, path, method, agent: false, headers: { 'Get-All': '?1', ...headers } };
    const req = request({ host: '127.0.0.1', ...options }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', () => {});
      res.on('close', () => {
        const body = Buffer.concat(chunks);
        const { statusCode: status = 0, headers } = res;
        const { parts, isComplete } = partsOf(headers['content-type'] ?? '', body);
        const isWhole = res.complete && (parts === null || isComplete);
        resolve({ status, headers, parts, body, isWhole });
      });
    });
    req.on('error', () => {
      resolve({ status: 0, headers: {}, parts: null, body: Buffer.alloc(0), isWhole: false });
    });
    req.end();
  });
}

export function partsOf(
  type: string,
  body: Buffer,
): { parts: Part[] | null; isComplete: boolean; fault: string | null } {
  const boundary = boundaryOf(type);
  if (boundary === null) return { parts: null, isComplete: false, fault: null };
  const limits = { maxFieldBytes: 65536, maxParts: 1000, maxPartBytes: 1e9 };
  const reader = new MultipartReader(boundary, limits);
  const parts: Part[] = [];
  let open: { fields: HeaderPair[]; body: Buffer[] } = { fields: [], body: [] };
  for (const event of reader.write(body)) {
    if (event.kind === 'fields') {
      open = { fields: event.fields, body: [] };
    } else if (event.kind === 'data') open.body.push(Buffer.from(event.bytes));
    else {
      const place = fieldValue(open.fields, 'content-location');
      parts.push({ place, fields: open.fields, body: Buffer.concat(open.body) });
    }
  }
  return { parts, isComplete: reader.isComplete, fault: reader.fault };
}

export const places = ({ parts }: Seen) => parts?.map(({ place }) => place);

export const page = (...targets: string[]) =>
  `<!doctype html><title>a</title>${targets.map((each) => `<img src="${each}">`).join('')}`;
