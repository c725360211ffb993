// Passes the response to the client: the header at once, content as fast as the client reads, then trailers. A
// truncated response never appears complete (RFC 9112 8): an unmet length or missing last chunk shows it; for
// HTTP/1.0, where the end of the connection is the end of the content, the connection is reset.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { gatherPieces, leastBytes } from '../../process/gathered-pieces.ts';
import { tinyPieces } from '../../process/tiny-pieces.ts';
import { cutOff, isGone, isHttp1, type Request, type Response } from '../listen/handler.ts';
import { endToEnd, linesOf, trailersOf } from './end-to-end-fields.ts';

/** List fields that a handler may have set before: both values stay. */
const joined = new Set(['link', 'server-timing', 'set-cookie', 'vary']);

type AnyResponse = ServerResponse | Http2ServerResponse;

/** @throws the error of node:http for a status or field that cannot be sent */
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

/** Remove the fields of a header that could not be sent. */
export function removeFields(res: Response): void {
  for (const name of (res as unknown as ServerResponse).getHeaderNames()) res.removeHeader(name);
}

/** Abort a response that cannot be completed. */
export function breakOff(req: Request, res: Response): void {
  const { socket } = res as unknown as { socket: Socket | null };
  const hasLength = res.hasHeader('content-length');
  if (req.httpVersion === '1.0' && !hasLength) socket?.resetAndDestroy();
  else cutOff(req, res);
}

/**
 * `onBroken` is called if the response ended early, after cutting it. The result must be called with errors of the
 * connection, because node:http treats a reset as the end of content without a length.
 */
export function passContent(
  proxyRes: IncomingMessage,
  req: Request,
  res: Response,
  onBroken: (error: Error) => void,
): (error: Error) => void {
  let isOver = false;
  const over = (error?: Error): void => {
    // Errors after its end do not matter.
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
      // Both kinds of response accept several values of one name as a list.
      for (const [name, values] of grouped(trailers)) {
        out.addTrailers({ [name]: values } as unknown as NodeJS.Dict<string>);
      }
    }
    res.end();
  });
  passPieces(proxyRes, req, res);
  return over;
}

/** As `passPiece`, but handlers may have replaced `write` by one that calls nothing back. */
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

function grouped(pairs: readonly [name: string, value: string][]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return groups;
}
