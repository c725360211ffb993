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
  /** Fails with an error where the site gave up. */
  readonly body: Readable;
  /** Makes the site see that its client is gone. Does nothing after the end of the response. */
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
  // For HTTP/1.0, Node writes a body without chunked coding. The site still sees HTTP/1.1.
  req.httpVersionMinor = 0;
  const res = new ServerResponse(req);
  Object.assign(req, { httpVersion: '1.1', httpVersionMinor: 1 });
  // Node writes no chunks even if the site itself sets `Transfer-Encoding: chunked`.
  Object.defineProperty(res, 'chunkedEncoding', { get: () => false, set() {} });
  res.assignSocket(socket as unknown as Socket);
  // http.Server does both for its own responses, but never sees this one.
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

/** Joins repeated fields as node:http does; fields that it does not join occur once in the client's request. */
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
