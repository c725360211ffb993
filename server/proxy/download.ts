// The response on its way to the client: head at once, content as fast as the client reads, trailers,
// and the end only if it was the end. A response that broke off never looks whole (RFC 9112 8): a kept
// length or chunks tell the client by themselves; for HTTP/1.0, where the end of the connection is the
// end of the content, it is reset.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { cutOff, isGone, isHttp1, type Request, type Response } from '../listen/handler.ts';
import { endToEnd, linesOf, trailersOf } from './end-to-end-fields.ts';

/** Lists to which a handler of ours may have added before: both stay. */
const joined = new Set(['link', 'server-timing', 'set-cookie', 'vary']);

type AnyResponse = ServerResponse | Http2ServerResponse;

/** @throws what node:http says of a status or field that cannot be sent */
export function passHead(proxyRes: IncomingMessage, req: Request, res: Response): void {
  const out = res as unknown as ServerResponse;
  const status = proxyRes.statusCode ?? 0;
  const fields = endToEnd(proxyRes.rawHeaders);
  // RFC 9110 8.6.
  if (status === 204) fields.delete('content-length');
  const isChunked = proxyRes.headers['transfer-encoding'] !== undefined;
  if (!isChunked || req.httpVersion === '1.0' || req.method === 'HEAD') fields.delete('trailer');
  for (const [lower, field] of fields) {
    const before = joined.has(lower) ? (out.getHeader(lower) ?? []) : [];
    const values = [...[before].flat().map(String), ...field.values];
    out.setHeader(field.name, linesOf({ values }));
  }
  out.statusCode = status;
  if (isHttp1(req) && proxyRes.statusMessage) out.statusMessage = proxyRes.statusMessage;
  out.flushHeaders();
}

/** Of a head that could not be sent. */
export function removeFields(res: Response): void {
  for (const name of (res as unknown as ServerResponse).getHeaderNames()) res.removeHeader(name);
}

/** Ends a response that cannot be completed. */
export function breakOff(req: Request, res: Response): void {
  const { socket } = res as unknown as { socket: Socket | null };
  const hasLength = res.hasHeader('content-length');
  if (req.httpVersion === '1.0' && !hasLength) socket?.resetAndDestroy();
  else cutOff(req, res);
}

/**
 * `onBroken` is called when the response ended before its end; then it was cut. The result is to be
 * told of errors of the connection: node:http takes a reset for the end of content without a length.
 */
export function passContent(
  proxyRes: IncomingMessage,
  req: Request,
  res: Response,
  onBroken: (error: Error) => void,
): (error: Error) => void {
  let isOver = false;
  const over = (error?: Error): void => {
    // What goes wrong behind its end is no part of it.
    if (isOver || proxyRes.complete) return;
    isOver = true;
    if (res.destroyed || isGone(req)) return;
    breakOff(req, res);
    onBroken(error ?? new Error('the response of the upstream broke off'));
  };
  proxyRes.on('error', over);
  proxyRes.on('close', () => over());
  proxyRes.on('end', () => {
    if (!proxyRes.complete) return over();
    isOver = true;
    const trailers = trailersOf(proxyRes.rawTrailers);
    const out = res as unknown as AnyResponse;
    if (trailers.length > 0 && req.httpVersion !== '1.0') {
      // Both kinds of response keep several values of one name, given as a list.
      for (const [name, values] of grouped(trailers)) {
        out.addTrailers({ [name]: values } as unknown as NodeJS.Dict<string>);
      }
    }
    res.end();
  });
  proxyRes.pipe(res as unknown as NodeJS.WritableStream, { end: false });
  return over;
}

function grouped(pairs: readonly [name: string, value: string][]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return groups;
}
