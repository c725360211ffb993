// Passes the response to the client: the header at once, content as fast as the client reads, then trailers. A
// truncated response never appears complete (RFC 9112 8): an unmet length or missing last chunk shows that; for
// HTTP/1.0, where the end of the connection is the end of the content, the connection is reset. The framing is that of
// the upstream's response, whatever fields handlers set.

import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { gatherPieces, leastBytes } from '../../process/gathered-pieces.ts';
import { tinyPieces } from '../../process/tiny-pieces.ts';
import { cutOff, isGone, isHttp1, type Request, type Response } from '../listen/handler.ts';
import { linesOf, reasonOf, responseFields, trailersOf } from './end-to-end-fields.ts';

/**
 * Fields with lists of values that a handler may have set already; the upstream's values are added to the handler's.
 */
const joined = new Set(['link', 'server-timing', 'set-cookie', 'vary']);

type AnyResponse = ServerResponse | Http2ServerResponse;

/**
 * Passes on the head of the upstream's response.
 * @throws an error for an unrequested 101, and node:http's for fields that cannot be sent
 */
export function passHead(proxyRes: IncomingMessage, req: Request, res: Response): void {
  const out = res as unknown as ServerResponse;
  const status = proxyRes.statusCode ?? 0;
  // If the request had no Upgrade field, node:http reports a 101 as if it were the response.
  if (status < 200) throw new Error('101 without an upgrade');
  const fields = responseFields(status, proxyRes.rawHeaders);
  for (const name of ['content-length', 'trailer']) out.removeHeader(name);
  // A 205 has no content (RFC 9110 15.3.6): node:http2 ends its stream at once, so no length may be announced.
  if (status === 205 && !isHttp1(req)) fields.delete('content-length');
  const isChunked = proxyRes.headers['transfer-encoding'] !== undefined;
  if (!isChunked || req.httpVersion === '1.0' || req.method === 'HEAD') fields.delete('trailer');
  for (const [lower, field] of fields) {
    const before = joined.has(lower) ? (out.getHeader(lower) ?? []) : [];
    const values = [...[before].flat().map(String), ...field.values];
    out.setHeader(field.name, linesOf({ values }));
  }
  out.statusCode = status;
  if (isHttp1(req)) out.statusMessage = reasonOf(proxyRes.statusMessage);
  if (isHttp1(req)) sendHead(out);
  else out.flushHeaders();
}

/** Sends the head as bytes (RFC 9110 5.5), because flushHeaders of node:http would write it as UTF-8. */
function sendHead(out: ServerResponse): void {
  const { socket } = out;
  const isCorked = (socket?.writableCorked ?? 0) > 0;
  out.write('', 'latin1');
  // Node's `write` has corked the socket until the next tick, before which the response may break off.
  if (!isCorked) socket?.uncork();
}

/** Removes the fields that were set for a header that is not sent. */
export function removeFields(res: Response): void {
  for (const name of (res as unknown as ServerResponse).getHeaderNames()) res.removeHeader(name);
}

/** Aborts a response that cannot be completed. */
export function breakOff(req: Request, res: Response): void {
  const { socket } = res as unknown as { socket: Socket | null };
  const hasLength = res.hasHeader('content-length');
  if (req.httpVersion === '1.0' && !hasLength) socket?.resetAndDestroy();
  else cutOff(req, res);
}

/**
 * Passes the content on. `onBroken` is called, after the response is cut off, if the content ended early or cannot be
 * passed on. Call the returned function with errors of the connection: node:http takes a reset for the end of content
 * without length.
 */
export function passContent(
  proxyRes: IncomingMessage,
  req: Request,
  res: Response,
  onBroken: (error: Error) => void,
): (error: Error) => void {
  let isOver = false;
  const cut = (error: unknown): void => {
    isOver = true;
    if (res.destroyed || isGone(req)) return;
    breakOff(req, res);
    onBroken(error as Error);
  };
  const over = (error?: Error): void => {
    // Errors after the end of the response do not matter.
    if (isOver || proxyRes.complete) return;
    cut(error ?? new Error('the response of the upstream broke off'));
  };
  guardEvents(proxyRes, cut);
  proxyRes.on('error', over);
  proxyRes.on('close', () => over());
  proxyRes.on('end', () => {
    if (!proxyRes.complete) return over();
    isOver = true;
    const trailers = trailersOf(proxyRes.rawTrailers);
    const out = res as unknown as AnyResponse;
    if (trailers.length > 0 && req.httpVersion !== '1.0') {
      // node:http2 sends trailers in a listener of its own, in which an error may be thrown.
      if (!isHttp1(req)) guardEvents(req.stream, cut);
      // The responses of node:http and of node:http2 accept several values of one name as a list.
      for (const [name, lines] of Map.groupBy(trailers, ([name]) => name)) {
        const values = lines.map(([, value]) => value);
        out.addTrailers({ [name]: values } as unknown as NodeJS.Dict<string>);
      }
    }
    res.end();
  });
  // node:http2 has ended the stream of a response without content, and accepts no more of it.
  if (!isHttp1(req) && req.stream.writableEnded) proxyRes.resume();
  else passPieces(proxyRes, req, res);
  return over;
}

/**
 * Writes the upstream's content to the client piece by piece, pausing the upstream as `passPiece` does, but passes no
 * callback to `write`, because handlers may have replaced `write` by a function that never calls it.
 */
function passPieces(proxyRes: IncomingMessage, req: Request, res: Response): void {
  gatherPieces(proxyRes, tinyPieces(proxyRes.socket));
  const goOn = () => void proxyRes.resume();
  proxyRes.on('data', (piece: Buffer) => {
    if (res.destroyed || isGone(req)) return;
    const isFull = !res.write(piece);
    if (!isFull && piece.length >= leastBytes) return;
    proxyRes.pause();
    if (isFull) res.once('drain', goOn);
    else setImmediate(goOn);
  });
}

/**
 * Prevents what a site sends from ending this process; this is the only protection. node:http and node:http2 throw for
 * what they cannot send, and an error thrown in a listener ends the process; so an error in a listener of an upstream's
 * request or response fails its exchange instead.
 * @param fail Called with the error that any listener of `emitter` throws
 */
export function guardEvents(emitter: EventEmitter, fail: (error: unknown) => void): void {
  const { emit } = emitter;
  emitter.emit = (...event: Parameters<typeof emit>) => {
    try {
      return emit.apply(emitter, event);
    } catch (error) {
      fail(error);
      return true;
    }
  };
}
