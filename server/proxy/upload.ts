// Passes the request's content to the upstream at the speed of the slower side: exactly the announced number of
// bytes, or chunks followed by trailers. If the content is longer or shorter than its length, or is cut off, the
// request is never completed, so the upstream does not take it for complete.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { passPiece } from '../../process/gathered-pieces.ts';
import { isHttp1, type Request } from '../listen/handler.ts';
import { trailersOf } from './end-to-end-fields.ts';
import { type BodyFraming, hasContent } from './framing.ts';

export interface UploadOptions {
  readonly framing: BodyFraming;
  /** Limit on the content of a request without Content-Length, bytes. */
  readonly maxBytes: number;
  /** Called once, if content without Content-Length is longer than `maxBytes`. */
  tooLong(): void;
  /** Called once, if the content has another length than its Content-Length, or its trailers cannot be sent. */
  onBroken(error: Error): void;
}

/** Returns whether the content is complete: node:http2 also ends the content of a stream that the client has reset. */
function isWhole(req: Request): boolean {
  return isHttp1(req) ? req.complete : !req.stream.closed && !req.stream.aborted;
}

/**
 * Sends header and content to the upstream. The returned function stops this, and discards the rest of the client's
 * content.
 */
export function upload(req: Request, proxyReq: ClientRequest, options: UploadOptions): () => void {
  const { framing } = options;
  if (!hasContent(framing)) {
    proxyReq.end();
    req.resume();
    return () => {};
  }
  const mostBytes = framing.kind === 'length' ? framing.bytes : options.maxBytes;
  let bytes = 0;

  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      stop();
      if (framing.kind === 'chunked') options.tooLong();
      else options.onBroken(new Error(`content of more than ${mostBytes} bytes`));
      return;
    }
    passPiece(chunk, req, proxyReq);
  };
  const onEnd = () => {
    if (!isWhole(req)) return;
    if (framing.kind === 'length' && bytes !== framing.bytes) {
      options.onBroken(new Error(`content of ${bytes} bytes instead of ${framing.bytes}`));
      return;
    }
    try {
      const trailers = trailersOf((req as IncomingMessage).rawTrailers ?? []);
      if (framing.kind === 'chunked' && trailers.length > 0) proxyReq.addTrailers(trailers);
      proxyReq.end();
    } catch (error) {
      options.onBroken(error as Error);
    }
  };
  const stop = () => {
    req.removeListener('data', onData);
    req.removeListener('end', onEnd);
    req.resume();
  };
  // The header of the request is sent without waiting for its content.
  proxyReq.flushHeaders();
  req.on('data', onData);
  req.once('end', onEnd);
  return stop;
}
