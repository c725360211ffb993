// One request to the site from within, with the fields and the address of the client's request, and the response as it
// is written: its head, then its body at the pace at which it is read.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { HeaderPair } from '../../http/header-pairs.ts';
import type { Request } from '../listen/handler.ts';
import { type InnerKind, markInner, type Site } from '../listen/inner-requests.ts';
import { type InnerHead, InnerSocket } from './inner-socket.ts';

export interface InnerExchange {
  /** Rejects if the site gave up. */
  readonly head: Promise<InnerHead>;
  /** Throws where the site gave up. */
  readonly body: Readable;
  /** The site sees that its client is gone. Does nothing after the end. */
  abort(): void;
}

interface Asked {
  readonly site: Site;
  /** The client's request. */
  readonly req: Request;
  readonly target: string;
  readonly fields: readonly HeaderPair[];
  readonly kind: InnerKind;
}

/** @throws what the site throws */
export function openInner({ site, req: client, target, fields, kind }: Asked): InnerExchange {
  const socket = new InnerSocket(client.socket as Socket);
  const req = new IncomingMessage(socket as unknown as Socket);
  Object.assign(req, { method: 'GET', url: target, complete: true, httpVersionMajor: 1 });
  req.headers = byName(fields);
  req.rawHeaders = fields.flat();
  req.push(null);
  // To HTTP/1.0 Node writes a body as it is, without chunks. The site sees HTTP/1.1.
  req.httpVersionMinor = 0;
  const res = new ServerResponse(req);
  Object.assign(req, { httpVersion: '1.1', httpVersionMinor: 1 });
  // Nor when the site itself says `Transfer-Encoding: chunked`.
  Object.defineProperty(res, 'chunkedEncoding', { get: () => false, set() {} });
  res.assignSocket(socket as unknown as Socket);
  // Both are done by http.Server, which this response never sees.
  socket.on('drain', () => res.emit('drain'));
  res.once('finish', () => socket.finishResponse());
  socket.once('close', () => req.destroy());
  markInner(req, kind);
  try {
    const result = site(req, res);
    if (kind === 'part' && result instanceof Promise) result.catch(() => socket.destroy());
  } catch (error) {
    socket.destroy();
    if (kind === 'document') throw error;
  }
  return { head: socket.head, body: socket.body, abort: () => void socket.destroy() };
}

/** As node:http joins them; those that it would not join are in the client's request once. */
function byName(fields: readonly HeaderPair[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    const before = headers[key];
    const separator = key === 'cookie' ? '; ' : ', ';
    headers[key] = before === undefined ? value : `${before}${separator}${value}`;
  }
  return headers;
}
