// The request's content on its way to the upstream, at the pace of the slower side: exactly as many bytes as were
// announced, or chunks, with trailers behind the last. If the content turns out to be longer or shorter than its
// length, or breaks off, the request is never ended: the upstream does not take it for whole.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { isHttp1, type Request } from '../listen/handler.ts';
import { trailersOf } from './end-to-end-fields.ts';
import { type Framing, hasContent } from './framing.ts';

export interface UploadOptions {
  readonly framing: Framing;
  /** Of content in chunks. */
  readonly maxBytes: number;
  /** Called once, when chunks are more than `maxBytes`. */
  tooLong(): void;
  /** Called once, when the content is not what its fields announced. */
  onBroken(error: Error): void;
}

/** node:http2 ends the content of a stream that was reset, too. Its client is gone: there is nobody to answer. */
function isWhole(req: Request): boolean {
  return isHttp1(req) ? req.complete : !req.stream.closed && !req.stream.aborted;
}

/** Sends head and content. The result ends it where it is: what the client still sends is thrown away. */
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
    } else if (!proxyReq.write(chunk)) req.pause();
  };
  const onDrain = () => void req.resume();
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
    proxyReq.removeListener('drain', onDrain);
    req.resume();
  };
  // The head does not wait for the content.
  proxyReq.flushHeaders();
  req.on('data', onData);
  req.once('end', onEnd);
  proxyReq.on('drain', onDrain);
  return stop;
}
